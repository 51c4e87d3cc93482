/** Members under way at once: many more would only queue, and count against the calls that may be outstanding. */
const WINDOW = 1_000;

/**
 * Does something for every member, up to 1,000 at once, and answers in their order. A member that fails keeps no other from
 * being done: all have settled before the first failure is thrown.
 */
export function settleAll<Member, Answer>(members: readonly Member[], act: (member: Member) => Promise<Answer>): Promise<Answer[]> {
  const [only] = members;
  return only !== undefined && members.length === 1 ? act(only).then((answer) => [answer]) : settleMany(members, act);
}

async function settleMany<Member, Answer>(members: readonly Member[], act: (member: Member) => Promise<Answer>): Promise<Answer[]> {
  const outcomes: Array<PromiseSettledResult<Answer>> = [];
  for (let at = 0; at < members.length; at += WINDOW) outcomes.push(...(await Promise.allSettled(members.slice(at, at + WINDOW).map(act))));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
