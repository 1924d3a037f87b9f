import type { ConsumerInfo, JetStreamManager, MsgRequest, StreamInfo } from '@nats-io/jetstream';
import { type AskedStream, ensureStream, isAbsent } from './event-stream.js';

/** What a stream holds, and what its durable consumers have taken. */
export interface StreamRetention {
  readonly created: string;
  readonly firstSequence: number;
  /** Every durable has taken everything up to here; undefined without one. */
  readonly takenByAll: number | undefined;
  /** Up to here this process removed what every durable had taken. */
  readonly removedTo: number;
}

export interface StreamRoom {
  /** Bytes that may still be stored. */
  readonly bytes: number;
  /** The durable consumer that has taken least, which is what keeps a full stream full. */
  readonly heldBy: string | undefined;
}

/** Bytes that a stream may still take. */
export const roomOf = ({ config, state }: StreamInfo): number =>
  config.max_bytes > 0 ? config.max_bytes - state.bytes : Number.POSITIVE_INFINITY;

const GROW_EVERY_MS = 60_000;
const REMOVE_OLD_EVERY_MS = 3_600_000;

/**
 * Keeps room in a stream that drops nothing by itself: it removes events that every durable consumer has taken, and
 * no others. Without any durable nothing is removed, since the first one is to begin with the first event.
 */
export class StreamHousekeeping {
  #grownAt = 0;
  #removedTo = 0;
  #removedOldAt = 0;

  constructor(
    private readonly stream: AskedStream,
    private readonly maxAgeMs: number,
  ) {}

  /** Removes what everybody has taken; where that is not enough for `needed` bytes, lets the stream grow to its size. */
  async makeRoom(jsm: JetStreamManager, needed: number): Promise<StreamRoom> {
    const slowest = await this.#slowest(jsm);
    let info = await jsm.streams.info(this.stream.name);
    if (slowest && slowest.ack_floor.stream_seq >= info.state.first_seq && info.state.messages > 0) {
      await this.#removeTo(jsm, slowest.ack_floor.stream_seq);
      info = await jsm.streams.info(this.stream.name);
    }
    const isSmaller = info.config.max_bytes < this.stream.max_bytes;
    if (roomOf(info) <= needed && isSmaller && Date.now() - this.#grownAt > GROW_EVERY_MS) {
      this.#grownAt = Date.now();
      info = await ensureStream(jsm, this.stream);
    }
    return { bytes: roomOf(info), heldBy: slowest?.name };
  }

  /** Removes, once an hour, what everybody has taken and what is older than the age limit. The stream has to exist. */
  async removeOld(jsm: JetStreamManager): Promise<void> {
    if (Date.now() - this.#removedOldAt < Math.min(REMOVE_OLD_EVERY_MS, this.maxAgeMs)) return;
    this.#removedOldAt = Date.now();
    const slowest = await this.#slowest(jsm);
    if (!slowest) return;
    const { state } = await jsm.streams.info(this.stream.name);
    if (state.messages === 0) return;
    const before = Date.now() - this.maxAgeMs;
    // Sequences rise with time: the first one that is young enough lies between these two.
    let [old, young] = [state.first_seq, slowest.ack_floor.stream_seq + 1];
    while (old < young) {
      const middle = Math.floor((old + young) / 2);
      const at = await this.#storedAt(jsm, middle);
      if (at !== undefined && at < before) old = middle + 1;
      else young = middle;
    }
    if (old > state.first_seq) await this.#removeTo(jsm, old - 1);
  }

  /** What the stream holds and who has taken it; undefined when there is no stream. */
  async retention(jsm: JetStreamManager): Promise<StreamRetention | undefined> {
    try {
      const slowest = await this.#slowest(jsm);
      const { created, state } = await jsm.streams.info(this.stream.name);
      return {
        created,
        firstSequence: state.first_seq,
        takenByAll: slowest?.ack_floor.stream_seq,
        removedTo: this.#removedTo,
      };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async #removeTo(jsm: JetStreamManager, sequence: number): Promise<void> {
    // Before it is done: a removal whose answer is lost is one of ours all the same.
    this.#removedTo = sequence;
    await jsm.streams.purge(this.stream.name, { seq: sequence + 1 });
  }

  async #slowest(jsm: JetStreamManager): Promise<ConsumerInfo | undefined> {
    let slowest: ConsumerInfo | undefined;
    for await (const consumer of jsm.consumers.list(this.stream.name)) {
      if (!consumer.config.durable_name) continue;
      if (!slowest || consumer.ack_floor.stream_seq < slowest.ack_floor.stream_seq) slowest = consumer;
    }
    return slowest;
  }

  /** When the first message from a sequence on was stored; undefined where there is none. */
  async #storedAt(jsm: JetStreamManager, seq: number): Promise<number | undefined> {
    // The client's types know the two fields only apart; nats-server takes both, as of 2.9.
    const query = { seq, next_by_subj: this.stream.subjects[0] } as MsgRequest;
    return (await jsm.streams.getMessage(this.stream.name, query))?.time.getTime();
  }
}
