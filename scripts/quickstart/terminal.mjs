/** Where the quickstart speaks: lines, and on a terminal one block at the bottom that is drawn anew. */
export class Terminal {
  #out;
  #isTerminal;
  #drawn = 0;
  #lastBlock = '';

  constructor(out = process.stdout) {
    this.#out = out;
    this.#isTerminal = out.isTTY === true;
  }

  say = (line) => {
    this.#drawn = 0;
    this.#lastBlock = '';
    this.#out.write(`${line}\n`);
  };

  /** Draws the block over the one before. Without a terminal only its first line is written, when it changed. */
  draw(lines) {
    const shown = this.#isTerminal ? lines.map((line) => line.slice(0, this.#width())) : lines.slice(0, 1);
    const block = shown.join('\n');
    if (block === this.#lastBlock) return;
    this.#lastBlock = block;
    const back = this.#isTerminal && this.#drawn > 0 ? `\x1b[${this.#drawn}A\x1b[J` : '';
    this.#drawn = shown.length;
    this.#out.write(`${back}${block}\n`);
  }

  /** A line that wraps would be drawn over only in part. A terminal may not know its width, and then says 0. */
  #width() {
    return (this.#out.columns || 80) - 1;
  }
}
