/** `field: reason` or `headers.X-A: reason`, whose first word is a field name and keeps its case. */
const NAMES_A_FIELD = /^[\w.[\]-]+: /;
const PLAIN_WORD = /^[a-z]+(?:-[a-z]+)*(?=[ ,;])/;
const VAGUE_RETRY = /[;.]? *try again(?: later)?\.?$/i;

/** A message of a service as a sentence: capitalized, unless it begins with a name, and with a full stop. */
export const sentenceOf = (message: string): string => {
  const begins = !NAMES_A_FIELD.test(message) && PLAIN_WORD.test(message);
  const sentence = begins ? message.charAt(0).toUpperCase() + message.slice(1) : message;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
};

/** The message of a 429 with the time of the next attempt. `now` is in milliseconds. */
export const withRetryTime = (message: string, retryAfterS: number, now: number): string => {
  const reason = message.replace(VAGUE_RETRY, '');
  const when = `Try again in ${waitOf(retryAfterS)}, at ${timeOf(now + retryAfterS * 1_000)} UTC.`;
  return reason === '' ? when : `${sentenceOf(reason)} ${when}`;
};

const waitOf = (seconds: number): string => {
  if (seconds < 90) return counted(Math.ceil(seconds), 'second');
  return seconds < 90 * 60 ? counted(Math.ceil(seconds / 60), 'minute') : counted(Math.ceil(seconds / 3_600), 'hour');
};

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `2026-03-09 00:00:00` */
const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
