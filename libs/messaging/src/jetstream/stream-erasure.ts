import type { ConsumerInfo, JetStreamManager, StoredMsg } from '@nats-io/jetstream';
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
/** Concurrent reads. Not with a consumer, because its creator chooses the subject that it delivers to. */
const READS_AT_ONCE = 100;

/**
 * Publishes the redacted event at the end of the stream, for consumers that have not received the original, and then
 * overwrites the original on disk. Consumers recognise the event by its id.
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
    const to = Math.min(last, from + PART - 1);
    const found = await this.#search(jsm, from, to, request);
    let erased = 0;
    for (const message of found) {
      const inHandOf = request.evenInHand ? undefined : await this.#holderOf(jsm, message.seq);
      if (inHandOf !== undefined) return { erased, next: message.seq, inHandOf };
      await this.#replace(jsm, message, request.noteAs);
      erased++;
    }
    return { erased, next: Math.max(from, to + 1), inHandOf: undefined };
  }

  /** The affected messages between two sequences, both included; erased messages are absent. */
  async #search(
    jsm: JetStreamManager,
    from: number,
    to: number,
    request: StreamErasureRequest,
  ): Promise<readonly Found[]> {
    const found: Found[] = [];
    for (let at = from; at <= to; at += READS_AT_ONCE) {
      const count = Math.min(READS_AT_ONCE, to - at + 1);
      const reads = Array.from({ length: count }, (_, place) =>
        jsm.streams.getMessage(this.#stream, { seq: at + place }),
      );
      for (const message of await Promise.all(reads)) if (message) found.push(...affected(message, request));
    }
    return found;
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
  /** Undefined for a message that is not an event. */
  readonly event: { readonly id: string; readonly payload: string } | undefined;
}

const affected = (message: StoredMsg, request: StreamErasureRequest): readonly Found[] => {
  const text = message.string();
  const folded = text.replaceAll(/[A-Z]/g, letter => letter.toLowerCase());
  const event = request.containing.some(trace => folded.includes(trace)) ? redacted(text, request) : undefined;
  return event ? [{ seq: message.seq, subject: message.subject, ...event }] : [];
};

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
