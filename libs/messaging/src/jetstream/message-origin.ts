import type { JsMsg } from '@nats-io/jetstream';

/**
 * Headers that JetStream adds to a message that it copies from another stream, by `republish`, a source or a mirror (NATS
 * documentation, "JetStream headers"). No setting of a stream omits them.
 */
const HEADERS = ['Nats-Stream', 'Nats-Stream-Source'];

/** Whether JetStream has copied the message from another stream, to which another service may publish. */
export const isFromAnotherStream = ({ headers }: Pick<JsMsg, 'headers'>): boolean =>
  HEADERS.some(name => headers?.has(name));
