/** Shown in place of a missing value. */
export const NO_VALUE = '–';

const counts = new Intl.NumberFormat('en');

export const formatCount = (count: number): string => counts.format(count);

const decimals = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** With three significant digits. */
export const formatDecimal = (value: number): string => decimals.format(value);

/** Formats a rate between 0 and 1 as a percentage; rates below 1% keep two decimals, because 0.1% complaints is a limit. */
export const formatRate = (rate: number | null): string => {
  if (rate === null) return NO_VALUE;
  const decimals = rate > 0 && rate < 0.01 ? 2 : rate === 1 || rate === 0 ? 0 : 1;
  return `${(rate * 100).toFixed(decimals)}%`;
};

/** Uses the browser's time zone unless `timeZone` is given. */
export const formatTime = (timestamp: string, timeZone?: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...(timeZone ? { timeZone } : {}),
  }).format(new Date(timestamp));

/** The day of a time, in the browser's time zone unless `timeZone` is given. */
export const formatDate = (timestamp: string, timeZone?: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', ...(timeZone ? { timeZone } : {}) }).format(
    new Date(timestamp),
  );

/** The time of day with milliseconds, such as `11:00:00.125`. */
export const formatClock = (timestamp: string, timeZone?: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    ...(timeZone ? { timeZone } : {}),
  }).format(new Date(timestamp));

/** The time with its zone, which is that of the browser unless `timeZone` is given. */
export const formatExactTime = (timestamp: string, timeZone?: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...(timeZone ? { timeZone } : {}),
  }).format(new Date(timestamp));

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS_OF_TIME = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const RELATIVE_FOR_S = 7 * 86_400;

/** `3 minutes ago`, `in 2 hours`; undefined if the time is more than a week away. */
export const formatRelativeTime = (timestamp: string, now: number): string | undefined => {
  const seconds = (Date.parse(timestamp) - now) / 1_000;
  if (Math.abs(seconds) > RELATIVE_FOR_S) return undefined;
  const [unit, length] = UNITS_OF_TIME.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  return unit === undefined ? 'just now' : RELATIVE.format(Math.trunc(seconds / length), unit);
};

/** Formats a UTC date (`2026-03-09`) as `9 Mar`. */
export const formatDay = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day));

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export const formatBytes = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  return `${amount.toFixed(power === 0 || amount >= 100 || Number.isInteger(amount) ? 0 : 1)} ${UNITS[power]}`;
};

/** Formats the time between two timestamps, for example `1 min 5 s`. */
export const formatDuration = (from: string, to: string): string => {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
};

export const formatWait = (seconds: number): string => {
  if (seconds < 90) return counted(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds < 90 * 60) return counted(Math.ceil(seconds / 60), 'minute');
  return counted(Math.ceil(seconds / 3600), 'hour');
};

export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** API names whose label is not the name itself. */
const LABELS: Readonly<Record<string, string>> = {
  added: 'Added by a user',
  awaiting_code: 'Awaiting code',
  disk_mib: 'Disks and databases, in MiB',
  handed_over: 'Sent to relay',
  memory_mib: 'Memory, in MiB',
  records_lost: 'Records missing',
  sandbox_fallback: 'Sandbox sender',
};

/** Formats an API name as a label: `not_sent` becomes `Not sent`. */
export const formatLabel = (name: string): string => {
  const label = LABELS[name];
  if (label) return label;
  const words = name.replaceAll('_', ' ').replace(/^(api|dkim)\b/, abbreviation => abbreviation.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Turns an API message, which may start with a lower-case letter or a field name, into a sentence. */
export const asSentence = (message: string): string => {
  const sentence = /^[a-z-]+ /.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
};

/** The last `count` UTC days including today, as the statistics endpoint expects them. */
export const lastDays = (count: number, now: Date): { from: string; to: string } => {
  const day = (daysAgo: number) => new Date(now.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  return { from: day(count - 1), to: day(0) };
};
