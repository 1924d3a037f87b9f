const DAY_MS = 86_400_000;
const LATE_MS = 14 * DAY_MS;

/** Whether a certificate should have been renewed: a third of its lifetime is usual; half of that is late, and so are 14 days. */
export const isCertificateLate = (from: Date, until: Date, now = new Date()): boolean =>
  until.getTime() - now.getTime() < Math.min(LATE_MS, (until.getTime() - from.getTime()) / 6);
