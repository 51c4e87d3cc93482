/** The result of `steps` steps of the generator, each on 1 + the result before, from `from`. Computed apart from the workflows. */
export function expectedLcg(from: string, steps: number): string {
  let x = BigInt(from);
  for (let i = 0; i < steps; i++) x = ((x + 1n) * 0x5851f42d4c957f2dn + 0x14057b7ef767814fn) % 2n ** 64n;
  return x.toString();
}
