/** Milliseconds until the deadline of what was requested at `requestedAt` and may take `limitMs`; 0 once it has passed. */
export const millisecondsLeft = (requestedAt: Date, limitMs: number, now: Date): number =>
  Math.max(0, requestedAt.getTime() + limitMs - now.getTime());
