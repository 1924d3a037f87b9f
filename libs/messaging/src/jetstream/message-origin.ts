import type { JsMsg } from '@nats-io/jetstream';

/**
 * What JetStream adds to a message that it takes from one stream to another, by `republish`, a source or a mirror
 * (NATS documentation, "JetStream headers"). No setting of a stream leaves them out.
 */
const HEADERS = ['Nats-Stream', 'Nats-Stream-Source'];

/** Whether JetStream has taken the message from another stream, to which another service may publish. */
export const isFromAnotherStream = ({ headers }: Pick<JsMsg, 'headers'>): boolean =>
  HEADERS.some(name => headers?.has(name));
