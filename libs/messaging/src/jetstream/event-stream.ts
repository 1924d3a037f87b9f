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
  /** Oldest events go when the stream is larger (1 GiB). */
  readonly maxBytes?: number | undefined;
  /** Events older than this go (7 days). */
  readonly maxAgeMs?: number | undefined;
  /** An event published again within this time is not stored again (2 minutes). */
  readonly duplicateWindowMs?: number | undefined;
  /** Servers of a NATS cluster that hold a copy each (1). */
  readonly replicas?: number | undefined;
}

const NANOS_PER_MS = 1_000_000;

export const streamName = (service: ServiceName): string => `postern-${service}`;

export const streamConfig = (service: ServiceName, limits: StreamLimits) =>
  ({
    name: streamName(service),
    subjects: [`postern.events.${service}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_bytes: limits.maxBytes ?? 1024 ** 3,
    max_age: (limits.maxAgeMs ?? 7 * 24 * 3_600_000) * NANOS_PER_MS,
    duplicate_window: (limits.duplicateWindowMs ?? 120_000) * NANOS_PER_MS,
    num_replicas: limits.replicas ?? 1,
  }) satisfies Partial<StreamConfig>;

export const isAbsent = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound);

/** The stream as asked for, created or brought up to date; rejects when the server made something else of it. */
export const ensureStream = async (
  jsm: JetStreamManager,
  asked: ReturnType<typeof streamConfig>,
): Promise<StreamInfo> => {
  const found = await jsm.streams.info(asked.name).catch(error => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found && differences(asked, found.config).length === 0) return found;
  const made = found ? await jsm.streams.update(asked.name, asked) : await jsm.streams.add(asked);
  // Old servers drop settings they do not know instead of refusing them.
  const ignored = differences(asked, made.config);
  if (ignored.length > 0) throw new Error(`NATS did not take ${ignored.join(', ')} of stream ${asked.name}`);
  return made;
};

const differences = (asked: object, found: object): string[] => {
  const actual = new Map(Object.entries(found));
  return Object.entries(asked)
    .filter(([key, value]) => JSON.stringify(actual.get(key)) !== JSON.stringify(value))
    .map(([key]) => key);
};
