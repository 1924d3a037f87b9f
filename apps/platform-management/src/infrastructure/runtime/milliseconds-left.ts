/** Returns the milliseconds until `limitMs` after `requestedAt`; 0 once that time has passed. */
export const millisecondsLeft = (requestedAt: Date, limitMs: number, now: Date): number =>
  Math.max(0, requestedAt.getTime() + limitMs - now.getTime());
