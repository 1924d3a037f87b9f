import { type ConsumerInfo, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { eventEnvelope, type ServiceName, streamNameOf } from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import { isAbsent } from './event-stream.js';
import { suitableManager } from './jetstream-publisher.js';

export interface StreamErasureRequest {
  /** ASCII texts in lower case; every affected message contains one of them, in any case. */
  readonly containing: readonly string[];
  /** Returns an event's data without the personal data; undefined when there is none. */
  readonly without: (data: unknown) => unknown;
  /** Returns the id of an event's stream without the personal data; undefined when there is none. */
  readonly withoutInId: (streamId: string) => string | undefined;
  /** Identifies the erasure in the ids of the messages that replace erased ones. */
  readonly noteAs: string;
  /** Also erases messages that a consumer may be handling now. */
  readonly evenInHand?: boolean;
}

export interface StreamErasurePart {
  /** Number of erased messages. */
  readonly erased: number;
  /** The sequence where the next step starts. */
  readonly next: number;
  /** A consumer that is handling the message at `next`, which is therefore kept for now. */
  readonly inHandOf: string | undefined;
}

/** Header of a message that replaces an erased one. */
export const ERASURE_HEADER = 'Postern-Erasure';

const PART = 1_000;
const FETCH_EXPIRES_MS = 2_000;

/**
 * Erases personal data from a service's stream. The redacted event is published first, at the end of the stream
 * under a new message id, so that a consumer that has not taken the original misses nothing; consumers recognise the
 * event by its id. Then the original is overwritten on disk.
 */
export class StreamErasure {
  readonly #stream: string;

  constructor(
    private readonly link: NatsLink,
    service: ServiceName,
  ) {
    this.#stream = streamNameOf(service);
  }

  /** The sequences in the stream; undefined without a stream. */
  async range(): Promise<{ readonly first: number; readonly last: number } | undefined> {
    const jsm = await this.#manager();
    try {
      const { state } = await jsm.streams.info(this.#stream);
      return { first: state.first_seq, last: state.last_seq };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** Erases matching messages from a sequence on, up to `last`, in one step. */
  async erase(from: number, last: number, request: StreamErasureRequest): Promise<StreamErasurePart> {
    const jsm = await this.#manager();
    const { found, next } = await this.#search(jsm, from, last, request);
    let erased = 0;
    for (const message of found) {
      const inHandOf = request.evenInHand ? undefined : await this.#holderOf(jsm, message.seq);
      if (inHandOf !== undefined) return { erased, next: message.seq, inHandOf };
      await this.#replace(jsm, message, request.noteAs);
      erased++;
    }
    return { erased, next, inHandOf: undefined };
  }

  async #search(
    jsm: JetStreamManager,
    from: number,
    last: number,
    request: StreamErasureRequest,
  ): Promise<{ readonly found: readonly Found[]; readonly next: number }> {
    const consumer = await jsm
      .jetstream()
      .consumers.get(this.#stream, { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from });
    const found: Found[] = [];
    let next = from;
    let isEnd = false;
    let seen = 0;
    try {
      const messages = await consumer.fetch({ max_messages: PART, expires: FETCH_EXPIRES_MS });
      for await (const message of messages) {
        if (message.seq > last) {
          isEnd = true;
          break;
        }
        next = message.seq + 1;
        const text = message.string();
        const folded = text.replaceAll(/[A-Z]/g, letter => letter.toLowerCase());
        const event = request.containing.some(trace => folded.includes(trace)) ? redacted(text, request) : undefined;
        if (event) found.push({ seq: message.seq, subject: message.subject, ...event });
        if (message.info.pending === 0) isEnd = true;
        if (isEnd || next > last || ++seen === PART) break;
      }
      if (next === from) isEnd = (await consumer.info()).num_pending === 0;
    } finally {
      await consumer.delete().catch(() => false);
    }
    // Sequences of deleted messages are also missing at the end.
    return { found, next: isEnd ? last + 1 : next };
  }

  /** A consumer that received the message and has not acknowledged everything up to it. */
  async #holderOf(jsm: JetStreamManager, sequence: number): Promise<string | undefined> {
    for await (const consumer of jsm.consumers.list(this.#stream))
      if (consumer.config.durable_name && isInHand(consumer, sequence)) return consumer.name;
    return undefined;
  }

  async #replace(jsm: JetStreamManager, { seq, subject, event }: Found, noteAs: string): Promise<void> {
    if (event) {
      const about = headers();
      about.set(ERASURE_HEADER, noteAs);
      await jsm.jetstream().publish(subject, event.payload, {
        msgID: `${event.id}:${noteAs}`,
        expect: { streamName: this.#stream },
        headers: about,
      });
    }
    await jsm.streams.deleteMessage(this.#stream, seq, true);
  }

  async #manager(): Promise<JetStreamManager> {
    if (!this.link.connected) throw new Error('NATS is unavailable');
    return suitableManager(this.link);
  }
}

interface Found {
  readonly seq: number;
  readonly subject: string;
  /** Undefined for a message that is no event. */
  readonly event: { readonly id: string; readonly payload: string } | undefined;
}

/** Undefined when the text contains no personal data. */
const redacted = (text: string, { without, withoutInId }: StreamErasureRequest): Pick<Found, 'event'> | undefined => {
  const envelope = eventEnvelope.safeParse(parsed(text)).data;
  if (!envelope) return without(text) === undefined ? undefined : { event: undefined };
  const [data, streamId] = [without(envelope.data), withoutInId(envelope.stream_id)];
  if (data === undefined && streamId === undefined) return undefined;
  const fresh = { ...envelope, data: data ?? envelope.data, stream_id: streamId ?? envelope.stream_id };
  return { event: { id: envelope.id, payload: JSON.stringify(fresh) } };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isInHand = ({ ack_floor, delivered, num_ack_pending }: ConsumerInfo, sequence: number): boolean =>
  num_ack_pending > 0 && ack_floor.stream_seq < sequence && sequence <= delivered.stream_seq;
