import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { ServiceName } from '@postern/contracts';

export interface StreamLimits {
  /** Largest size of the stream; events wait in the log when it is full (1 GiB). */
  readonly maxBytes?: number | undefined;
  /** Events that every consumer has taken are removed after this time (7 days). */
  readonly maxAgeMs?: number | undefined;
  /** An event published again within this time is not stored again (2 minutes). */
  readonly duplicateWindowMs?: number | undefined;
  /** Servers of a NATS cluster that hold a copy each (1). */
  readonly replicas?: number | undefined;
}

const NANOS_PER_MS = 1_000_000;
/** The smallest stream that is made where the server has no room for the configured one. */
const SMALLEST_BYTES = 16 * 1024 ** 2;

export const streamName = (service: ServiceName): string => `postern-${service}`;

/** The stream drops nothing by itself: neither its size nor the age of an event removes one that somebody still needs. */
export const streamConfig = (service: ServiceName, limits: StreamLimits) =>
  ({
    name: streamName(service),
    subjects: [`postern.events.${service}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_bytes: limits.maxBytes ?? 1024 ** 3,
    max_age: 0,
    duplicate_window: (limits.duplicateWindowMs ?? 120_000) * NANOS_PER_MS,
    num_replicas: limits.replicas ?? 1,
  }) satisfies Partial<StreamConfig>;

export type AskedStream = ReturnType<typeof streamConfig>;

export const isAbsent = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound);

/** JetStream's numbers for: no peers with room, the account's limit, resources, file storage. */
const NO_STORAGE_CODES = new Set([10_002, 10_005, 10_023, 10_047]);

/** Whether the server has no room for a stream of this size, or for another event. */
export const isOutOfStorage = (error: { readonly code?: number; readonly message: string }): boolean =>
  NO_STORAGE_CODES.has(error.code ?? 0) || /insufficient storage|no space left/i.test(error.message);

/**
 * The stream as asked for, created or brought up to date. Where the server has too little room it becomes smaller,
 * down to 16 MiB, and grows when it is ensured again and there is room.
 * @throws when the server has no room at all, or made something else of the configuration.
 */
export const ensureStream = async (jsm: JetStreamManager, asked: AskedStream): Promise<StreamInfo> => {
  const found = await jsm.streams.info(asked.name).catch(error => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found && differences(asked, found.config).length === 0) return found;
  let refusal: unknown;
  for (const size of sizesFor(asked.max_bytes, found)) {
    const config = { ...asked, max_bytes: size };
    if (found && differences(config, found.config).length === 0) return found;
    try {
      const made = await (found ? jsm.streams.update(asked.name, config) : jsm.streams.add(config));
      // Old servers drop settings they do not know instead of refusing them.
      const ignored = differences(config, made.config);
      if (ignored.length > 0) throw new Error(`NATS did not take ${ignored.join(', ')} of stream ${asked.name}`);
      return made;
    } catch (error) {
      if (!(error instanceof JetStreamApiError && isOutOfStorage(error))) throw error;
      refusal = error;
    }
  }
  throw refusal;
};

/** The sizes to try, largest first. A stream never becomes smaller than what it holds, which would drop events. */
const sizesFor = (asked: number, found: StreamInfo | undefined): number[] => {
  const present = found && found.config.max_bytes > 0 ? found.config.max_bytes : undefined;
  const smallest = Math.min(asked, present ?? SMALLEST_BYTES);
  const sizes = [Math.max(asked, found?.state.bytes ?? 0)];
  while ((sizes.at(-1) ?? 0) > smallest) sizes.push(Math.max(smallest, Math.floor((sizes.at(-1) ?? 0) / 2)));
  return sizes.filter(size => size >= (found?.state.bytes ?? 0));
};

const differences = (asked: object, found: object): string[] => {
  const actual = new Map(Object.entries(found));
  return Object.entries(asked)
    .filter(([key, value]) => JSON.stringify(actual.get(key)) !== JSON.stringify(value))
    .map(([key]) => key);
};
