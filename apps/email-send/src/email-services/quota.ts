/** The counts of one UTC day of a production service. */
export interface DayCounts {
  readonly messages: number;
  /** Messages of which at least one copy bounced on that day. */
  readonly bounced: number;
  /** Messages with a complaint on that day. */
  readonly complained: number;
}

export interface QuotaChange {
  readonly to: number;
  readonly reason: string;
}

/** Older days are ignored: later days have changed the quota since. */
export const LOOK_BACK_DAYS = 30;

/** A bad day never lowers a quota below this. */
export const QUOTA_FLOOR = 200;

/**
 * How a day changes its quota. Doubled: at least half of it used, bounces below 2 % and complaints below 0.1 %. Halved:
 * bounces over 5 % or complaints over 0.3 %. In whole numbers, so that the thresholds are exact.
 */
export function quotaChangeAfter(day: DayCounts, quota: number, ceiling: number): QuotaChange | undefined {
  const { messages, bounced, complained } = day;
  if (messages === 0) return undefined;
  const reasons = [
    ...(bounced * 20 > messages ? [`${percent(bounced, messages)} of the messages bounced (more than 5 %)`] : []),
    ...(complained * 1000 > messages * 3
      ? [`${percent(complained, messages)} of the messages were complained about (more than 0.3 %)`]
      : []),
  ];
  if (reasons.length > 0) {
    const to = Math.max(Math.floor(quota / 2), Math.min(quota, QUOTA_FLOOR));
    return to < quota ? { to, reason: reasons.join(' and ') } : undefined;
  }
  const isUsed = messages * 2 >= quota;
  const isClean = bounced * 50 < messages && complained * 1000 < messages;
  if (!isUsed || !isClean) return undefined;
  const to = Math.min(quota * 2, ceiling);
  if (to <= quota) return undefined;
  return {
    to,
    reason:
      `${messages} of ${quota} messages used, ${percent(bounced, messages)} bounced (below 2 %), ` +
      `${percent(complained, messages)} complained about (below 0.1 %)`,
  };
}

const percent = (part: number, whole: number): string => `${Number(((part / whole) * 100).toFixed(2))} %`;
