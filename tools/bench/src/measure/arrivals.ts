/**
 * Arrival times of requests of independent clients in milliseconds: exponential gaps from a fixed seed, so that every
 * candidate and round has the same bursts.
 */
export const poissonArrivals = (perSecond: number, seconds: number): readonly number[] => {
  const arrivals: number[] = [];
  let state = 0x9e3779b9;
  let atMs = 0;
  while (arrivals.length < perSecond * seconds) {
    // xorshift32 is sufficient for gaps.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const uniform = ((state >>> 0) + 1) / 4_294_967_297;
    atMs -= (Math.log(uniform) * 1_000) / perSecond;
    arrivals.push(atMs);
  }
  return arrivals;
};
