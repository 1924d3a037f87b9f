import { JetStreamApiError, JetStreamError, type JetStreamManager } from '@nats-io/jetstream';
import { NoRespondersError, RequestError } from '@nats-io/transport-node';
import { type EventFeed, eventEnvelope, type RequestInput, type ServiceName, streamNameOf } from '@postern/contracts';
import type { NatsLink } from '../connection.js';
import { consumerInfo } from './durable-reader.js';
import { suitableManager } from './jetstream-manager.js';
import { isAbsent } from './queue-stream.js';

type Since = RequestInput<EventFeed>['since'];

/**
 * Where the JetStream consumer of release 0.1 stopped, for the first start of this one: nothing is lost, and events that it
 * took out of order are repeated. The next release can remove this file.
 * @returns undefined without such a consumer.
 */
export const formerPosition = async (link: NatsLink, source: ServiceName, durable: string): Promise<Since> => {
  if (!link.connected) throw new Error('NATS is unavailable');
  const stream = streamNameOf(source);
  try {
    const jsm = await suitableManager(link);
    const info = await consumerInfo(jsm, stream, durable);
    if (!info) return undefined;
    const taken = info.ack_floor.stream_seq;
    if (taken === 0) return undefined;
    const { state } = await jsm.streams.info(stream);
    const last = await eventAt(jsm, stream, taken);
    if (last) return { ...last, included: true };
    const next = await eventAt(jsm, stream, Math.max(taken + 1, state.first_seq));
    return next ? { ...next, included: false } : 'published';
  } catch (error) {
    if (isAbsent(error) || isWithoutJetStream(error)) return undefined;
    throw error;
  }
};

const eventAt = async (jsm: JetStreamManager, stream: string, seq: number) => {
  const message = await jsm.streams.getMessage(stream, { seq });
  const envelope = message && eventEnvelope.safeParse(message.json()).data;
  return envelope && { stream_id: envelope.stream_id, version: envelope.version };
};

/** A new installation has JetStream for the queue of opens and clicks alone, or not at all. */
const isWithoutJetStream = (error: unknown): boolean =>
  (error instanceof JetStreamApiError && error.code === 10_039) ||
  (error instanceof JetStreamError && /not enabled/i.test(error.message)) ||
  error instanceof NoRespondersError ||
  (error instanceof RequestError && error.isNoResponders());

/**
 * Deletes the stream in which release 0.1 published the events of a service, because it contains addresses.
 * @returns whether it was there.
 */
export const deleteFormerStream = async (link: NatsLink, service: ServiceName): Promise<boolean> => {
  if (!link.connected) throw new Error('NATS is unavailable');
  try {
    return await (await suitableManager(link)).streams.delete(streamNameOf(service));
  } catch (error) {
    if (isAbsent(error) || isWithoutJetStream(error)) return false;
    throw error;
  }
};
