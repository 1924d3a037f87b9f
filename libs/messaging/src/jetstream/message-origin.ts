import type { JsMsg } from '@nats-io/jetstream';

/**
 * What JetStream adds to a message that it takes from one stream to another, by `republish`, a source or a mirror
 * (NATS documentation, "JetStream headers"). Nobody who configures a stream can leave it out.
 */
const HEADERS = ['Nats-Stream', 'Nats-Stream-Source'];

/** Whether the message was not published to its stream but taken from another one, whoever could write to that. */
export const isFromAnotherStream = ({ headers }: Pick<JsMsg, 'headers'>): boolean =>
  HEADERS.some(name => headers?.has(name));
