import type { ReplyOf, sendEmail } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';

export type RateLimit = ReplyOf<typeof sendEmail>['rate_limit'];

/** The limits and the sent messages of a service in the current minute and UTC day. */
export interface Usage {
  readonly minuteUsed: number;
  readonly minuteLimit: number;
  readonly dayUsed: number;
  readonly dayLimit: number;
  /** Of the UTC day, to strangers through the shared sender; only for a message that counts there. */
  readonly shared?: { readonly used: number; readonly limit: number };
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** When the UTC minute of a moment began, in milliseconds. */
export const minuteStart = (at: Date): number => at.getTime() - (at.getTime() % MINUTE_MS);
/** When the UTC day of a moment began, in milliseconds. */
export const dayStart = (at: Date): number => at.getTime() - (at.getTime() % DAY_MS);

/** The limit with the least remaining; of equal ones, the one that lasts longer. */
export function rateLimitOf(usage: Usage, at: Date): RateLimit {
  const minute = window(usage.minuteLimit, usage.minuteUsed, MINUTE_MS, at);
  const days = [usage.shared, { limit: usage.dayLimit, used: usage.dayUsed }];
  const [day] = days
    .flatMap(one => (one ? [window(one.limit, one.used, DAY_MS, at)] : []))
    .sort((one, other) => one.remaining - other.remaining);
  return minute.remaining < day!.remaining ? minute : day!;
}

/** The refusal of one more message; undefined when the limits allow it. Mail that does not count ignores the day. */
export function refusalOfOneMore(usage: Usage, counts: boolean, at: Date): Refusal | undefined {
  if (counts && usage.dayUsed >= usage.dayLimit) {
    const day = window(usage.dayLimit, usage.dayUsed, DAY_MS, at);
    return new Refusal('daily_limit_reached', `the daily limit of ${usage.dayLimit} messages is reached`, {
      retry_after_s: Math.max(1, day.reset_s),
      rate_limit: day,
    });
  }
  if (usage.shared && usage.shared.used >= usage.shared.limit) return sharedLimitReached(usage.shared, at);
  if (usage.minuteUsed < usage.minuteLimit) return undefined;
  const minute = window(usage.minuteLimit, usage.minuteUsed, MINUTE_MS, at);
  return new Refusal('minute_limit_reached', `the limit of ${usage.minuteLimit} messages a minute is reached`, {
    retry_after_s: Math.max(1, minute.reset_s),
    rate_limit: minute,
  });
}

function sharedLimitReached({ limit, used }: Required<Usage>['shared'], at: Date): Refusal {
  const day = window(limit, used, DAY_MS, at);
  const message = `the limit of ${limit} messages a day through the shared sender to recipients that are not verified is reached; send from a verified domain of this service, or verify the recipients`;
  return new Refusal('daily_limit_reached', message, { retry_after_s: Math.max(1, day.reset_s), rate_limit: day });
}

/** The usage after one more message. */
export const countOneMore = (usage: Usage, counts: boolean): Usage => ({
  ...usage,
  minuteUsed: usage.minuteUsed + 1,
  dayUsed: usage.dayUsed + (counts ? 1 : 0),
  ...(usage.shared ? { shared: { ...usage.shared, used: usage.shared.used + 1 } } : {}),
});

function window(limit: number, used: number, lengthMs: number, at: Date): RateLimit {
  const reset_s = Math.ceil((lengthMs - (at.getTime() % lengthMs)) / 1000);
  return { limit, remaining: Math.max(0, limit - used), reset_s };
}
