/**
 * When requests of independent clients arrive, in milliseconds from the start: exponential gaps, from a fixed seed so that
 * every contestant and every round meets the same bursts.
 */
export const poissonArrivals = (perSecond: number, seconds: number): readonly number[] => {
  const arrivals: number[] = [];
  let state = 0x9e3779b9;
  let atMs = 0;
  while (arrivals.length < perSecond * seconds) {
    // xorshift32: small, fast and good enough for gaps.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const uniform = ((state >>> 0) + 1) / 4_294_967_297;
    atMs -= (Math.log(uniform) * 1_000) / perSecond;
    arrivals.push(atMs);
  }
  return arrivals;
};
