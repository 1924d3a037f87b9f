import {
  type ConsumerInfo,
  JetStreamApiError,
  type JetStreamManager,
  type MsgRequest,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type DesiredStream, ensureStream, isAbsent } from './event-stream.js';

/** The content of a stream, and the progress of its durable consumers. */
export interface StreamRetention {
  readonly created: string;
  readonly firstSequence: number;
  /** The last sequence that every durable consumer has acknowledged; undefined without a consumer. */
  readonly takenByAll: number | undefined;
  /** The last sequence that this process removed because every durable consumer had acknowledged it. */
  readonly removedTo: number;
  readonly config: Partial<StreamConfig>;
}

export interface StreamSpace {
  /** Free bytes. */
  readonly bytes: number;
  /** The durable consumer that is furthest behind. */
  readonly heldBy: string | undefined;
}

/** Free bytes of a stream. */
export const freeBytesOf = ({ config, state }: StreamInfo): number =>
  config.max_bytes > 0 ? config.max_bytes - state.bytes : Number.POSITIVE_INFINITY;

const GROW_EVERY_MS = 60_000;
const REMOVE_OLD_EVERY_MS = 3_600_000;
/** Messages deleted individually in one step, and concurrent requests for that. */
const MAX_DELETIONS = 4_096;
const DELETIONS_AT_ONCE = 256;

/**
 * Frees space in a stream by removing only events that every durable consumer has acknowledged. Without durable consumers
 * nothing is removed, because the first one starts with the first event.
 */
export class StreamMaintenance {
  #grownAt = 0;
  #removedTo = 0;
  #removedOldAt = 0;

  /**
   * @param canPurge whether the server keeps unacknowledged messages when a stream is purged. nats-server 2.9 does
   * not, so messages are deleted individually there.
   */
  constructor(
    private readonly stream: DesiredStream,
    private readonly maxAgeMs: number,
    private readonly canPurge: () => boolean,
    private readonly removeUnconsumed = false,
  ) {}

  /**
   * Removes events that all consumers have acknowledged; if that does not free `needed` bytes, lets the stream grow to its
   * configured size.
   */
  async freeSpace(jsm: JetStreamManager, needed: number): Promise<StreamSpace> {
    const slowest = await this.#slowest(jsm);
    let info = await jsm.streams.info(this.stream.name);
    const removableTo = this.#removableTo(slowest, info);
    if (removableTo >= info.state.first_seq && info.state.messages > 0) {
      await this.#remove(jsm, info.state.first_seq, removableTo);
      info = await jsm.streams.info(this.stream.name);
    }
    const isSmaller = info.config.max_bytes < this.stream.max_bytes;
    if (freeBytesOf(info) <= needed && isSmaller && Date.now() - this.#grownAt > GROW_EVERY_MS) {
      this.#grownAt = Date.now();
      info = await ensureStream(jsm, this.stream);
    }
    return { bytes: freeBytesOf(info), heldBy: slowest?.name };
  }

  /**
   * Once an hour, removes events that all consumers have acknowledged and that exceed the age limit. The stream must exist.
   */
  async removeOld(jsm: JetStreamManager): Promise<void> {
    if (Date.now() - this.#removedOldAt < Math.min(REMOVE_OLD_EVERY_MS, this.maxAgeMs)) return;
    this.#removedOldAt = Date.now();
    const slowest = await this.#slowest(jsm);
    const info = await jsm.streams.info(this.stream.name);
    const { state } = info;
    const removableTo = this.#removableTo(slowest, info);
    if (removableTo < state.first_seq || state.messages === 0) return;
    const before = Date.now() - this.maxAgeMs;
    // Sequences increase with time: the first event that is recent enough lies between these two.
    let [old, young] = [state.first_seq, removableTo + 1];
    while (old < young) {
      const middle = Math.floor((old + young) / 2);
      const at = await this.#storedAt(jsm, middle);
      if (at !== undefined && at < before) old = middle + 1;
      else young = middle;
    }
    if (old === state.first_seq) return;
    const removedTo = await this.#remove(jsm, state.first_seq, old - 1);
    if (removedTo < old - 1) this.#removedOldAt = 0;
  }

  /** The content of the stream and the progress of its consumers; undefined without a stream. */
  async retention(jsm: JetStreamManager): Promise<StreamRetention | undefined> {
    try {
      const slowest = await this.#slowest(jsm);
      const { created, state, config } = await jsm.streams.info(this.stream.name);
      return {
        created,
        firstSequence: state.first_seq,
        takenByAll: slowest?.ack_floor.stream_seq,
        removedTo: this.#removedTo,
        config,
      };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** The last sequence that no durable consumer needs; 0 when nothing may be removed. */
  #removableTo(slowest: ConsumerInfo | undefined, { state }: StreamInfo): number {
    if (slowest) return slowest.ack_floor.stream_seq;
    return this.removeUnconsumed ? state.last_seq : 0;
  }

  /**
   * Removes messages from the start of the stream.
   * @returns the last sequence that this step removed.
   */
  async #remove(jsm: JetStreamManager, first: number, last: number): Promise<number> {
    const until = this.canPurge() ? last : Math.min(last, first + MAX_DELETIONS - 1);
    // Recorded before the removal, because its reply may be lost.
    this.#removedTo = until;
    if (this.canPurge()) await jsm.streams.purge(this.stream.name, { seq: until + 1 });
    else await this.#deleteEach(jsm, first, until);
    return until;
  }

  async #deleteEach(jsm: JetStreamManager, first: number, last: number): Promise<void> {
    for (let from = first; from <= last; from += DELETIONS_AT_ONCE) {
      const count = Math.min(DELETIONS_AT_ONCE, last - from + 1);
      const deletions = Array.from({ length: count }, (_, place) =>
        jsm.streams.deleteMessage(this.stream.name, from + place, false).catch(ignoreAbsentMessage),
      );
      await Promise.all(deletions);
    }
  }

  async #slowest(jsm: JetStreamManager): Promise<ConsumerInfo | undefined> {
    let slowest: ConsumerInfo | undefined;
    for await (const consumer of jsm.consumers.list(this.stream.name)) {
      if (!consumer.config.durable_name) continue;
      if (!slowest || consumer.ack_floor.stream_seq < slowest.ack_floor.stream_seq) slowest = consumer;
    }
    return slowest;
  }

  /** The storage time of the first message at or after a sequence; undefined without one. */
  async #storedAt(jsm: JetStreamManager, seq: number): Promise<number | undefined> {
    // The types of the client exclude using both fields; nats-server 2.9 and later accept them.
    const query = { seq, next_by_subj: this.stream.subjects[0] } as MsgRequest;
    return (await jsm.streams.getMessage(this.stream.name, query))?.time.getTime();
  }
}

/** An erasure may have deleted the message before. */
const ignoreAbsentMessage = (error: unknown): boolean => {
  if (error instanceof JetStreamApiError && /no message found/i.test(error.message)) return false;
  throw error;
};
