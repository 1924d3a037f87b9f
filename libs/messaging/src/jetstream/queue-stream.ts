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
import { PermissionViolationError } from '@nats-io/transport-node';
import { queueNameOf, queueSubjectsOf, type ServiceName } from '@postern/contracts';

const NANOS_PER_MS = 1_000_000;
/** The smallest queue that is created when the server has too little storage. */
const SMALLEST_BYTES = 16 * 1024 ** 2;

/** Requests stay in the queue until they are handled, at most a week. */
export const queueConfig = (service: ServiceName) =>
  ({
    name: queueNameOf(service),
    subjects: [queueSubjectsOf(service)],
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_bytes: 64 * 1024 ** 2,
    max_age: 7 * 24 * 3_600_000 * NANOS_PER_MS,
    num_replicas: 1,
  }) satisfies Partial<StreamConfig>;

type DesiredStream = ReturnType<typeof queueConfig>;

export const isAbsent = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound);

/** Whether NATS does not permit this user to send the request. */
const isForbidden = (error: unknown): boolean =>
  error instanceof PermissionViolationError ||
  (error instanceof Error && error.cause instanceof PermissionViolationError);

/** Error codes of JetStream: no peers with storage, account limit, resources, file storage. */
const NO_STORAGE_CODES = new Set([10_002, 10_005, 10_023, 10_047]);

/** Whether the server has no storage for a stream of this size or for another message. */
export const isOutOfStorage = (error: { readonly code?: number; readonly message: string }): boolean =>
  NO_STORAGE_CODES.has(error.code ?? 0) || /insufficient storage|no space left/i.test(error.message);

/**
 * Creates the queue, or updates it if the user is permitted to; the users of an installation are not, and keep it. If the
 * server has too little storage, the queue is smaller, down to 16 MiB.
 * @throws when the server has no storage at all, or applied another configuration.
 */
export const ensureStream = async (jsm: JetStreamManager, desired: DesiredStream): Promise<StreamInfo> => {
  const found = await jsm.streams.info(desired.name).catch(error => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found && differences(desired, found.config).length === 0) return found;
  let refusal: unknown;
  for (const size of sizesFor(desired.max_bytes, found)) {
    const config = { ...desired, max_bytes: size };
    if (found && differences(config, found.config).length === 0) return found;
    try {
      const made = await (found ? jsm.streams.update(desired.name, config) : jsm.streams.add(config));
      // Old servers ignore unknown settings without an error.
      const ignored = differences(config, made.config);
      if (ignored.length > 0) throw new Error(`NATS did not apply ${ignored.join(', ')} of stream ${desired.name}`);
      return made;
    } catch (error) {
      if (found && isForbidden(error)) return found;
      if (!(error instanceof JetStreamApiError)) throw error;
      // Some settings of a stream cannot be changed; its actual settings decide whether it may be used.
      if (found && !isOutOfStorage(error)) return found;
      if (!isOutOfStorage(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
};

/** The sizes to try, largest first. A stream never becomes smaller than its content, which would remove requests. */
const sizesFor = (desired: number, found: StreamInfo | undefined): number[] => {
  const present = found && found.config.max_bytes > 0 ? found.config.max_bytes : undefined;
  const smallest = Math.min(desired, present ?? SMALLEST_BYTES);
  const sizes = [Math.max(desired, found?.state.bytes ?? 0)];
  while ((sizes.at(-1) ?? 0) > smallest) sizes.push(Math.max(smallest, Math.floor((sizes.at(-1) ?? 0) / 2)));
  return sizes.filter(size => size >= (found?.state.bytes ?? 0));
};

const differences = (desired: object, found: object): string[] => {
  const actual = new Map(Object.entries(found));
  return Object.entries(desired)
    .filter(([key, value]) => JSON.stringify(actual.get(key)) !== JSON.stringify(value))
    .map(([key]) => key);
};
