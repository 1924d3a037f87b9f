/** Bytes of each part at a time. */
export interface Sample {
  readonly at: string;
  readonly bytes: Readonly<Record<string, number>>;
}

export interface Forecast {
  /** Bytes a day; undefined until there are samples of two days. */
  readonly growth: number | undefined;
  /** When the disk will be full, at this growth. */
  readonly fullAt: Date | undefined;
  /** When the first messages are deleted, so that the databases grow no longer at a constant rate of messages. */
  readonly settlesAt: Date | undefined;
}

export interface DiskFacts {
  readonly freeBytes: number;
  /** How long messages are stored. */
  readonly retentionDays: number;
  /** When the databases were created. */
  readonly createdAt: Date;
  readonly now: Date;
}

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Samples are taken hourly, so that there is one of a week ago: the same number of nights and backups, and the same days of the week. */
const WINDOW_MS = 7 * DAY_MS + HOUR_MS;

/** The write-ahead log has a maximum, and messages leave the queue: neither fills the disk, and both change by more than a day's growth. */
const BOUNDED_PARTS: ReadonlySet<string> = new Set(['write-ahead log', 'mail queue']);

const growingBytes = ({ bytes }: Sample): number =>
  Object.entries(bytes).reduce((sum, [part, each]) => (BOUNDED_PARTS.has(part) ? sum : sum + each), 0);

/** Bytes a day, between the sample of a week ago, or the oldest one since, and now; undefined if they are less than a day apart. */
export const growthOf = (samples: readonly Sample[]): number | undefined => {
  const last = samples.at(-1);
  if (!last) return undefined;
  const first = samples.find(({ at }) => Date.parse(last.at) - Date.parse(at) <= WINDOW_MS);
  const days = first ? (Date.parse(last.at) - Date.parse(first.at)) / DAY_MS : 0;
  return first && days >= 1 ? (growingBytes(last) - growingBytes(first)) / days : undefined;
};

/**
 * What follows from the growth of the last week. Growth ends when as much is deleted as is written: a full disk after that
 * time does not come.
 */
export const forecastOf = (samples: readonly Sample[], facts: DiskFacts): Forecast => {
  const { freeBytes, retentionDays, createdAt, now } = facts;
  const growth = growthOf(samples);
  const settles = new Date(createdAt.getTime() + retentionDays * DAY_MS);
  const settlesAt = settles > now ? settles : undefined;
  if (growth === undefined || growth <= 0) return { growth, fullAt: undefined, settlesAt };
  const fullAt = new Date(now.getTime() + (freeBytes / growth) * DAY_MS);
  return { growth, fullAt: settlesAt && fullAt > settlesAt ? undefined : fullAt, settlesAt };
};

export const size = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;

const date = (at: Date): string => at.toISOString().slice(0, 10);

/** The forecast in a sentence. */
export const forecastText = ({ growth, fullAt, settlesAt }: Forecast, freeBytes: number, now = new Date()): string => {
  if (growth === undefined) return 'The growth is known after a day.';
  if (growth <= 0) return 'It does not grow.';
  const grows = `It grows by ${size(growth)} a day`;
  if (fullAt) return `${grows}: full on ${date(fullAt)}.`;
  if (!settlesAt) return `${grows}.`;
  const later = growth * ((settlesAt.getTime() - now.getTime()) / DAY_MS);
  return `${grows} until ${date(settlesAt)}, when the first messages are deleted: ${size(later)} more, of ${size(freeBytes)} free.`;
};
