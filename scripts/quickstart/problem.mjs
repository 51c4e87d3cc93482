/** Something that the person at the terminal can mend. Its message says how; no stack is shown. */
export class Problem extends Error {}
