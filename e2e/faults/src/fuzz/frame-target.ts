import type { NatsConnection } from '@nats-io/transport-node';
import * as contracts from '@postern/contracts';
import { mutate } from './mutate.js';
import type { FuzzTarget } from './target.js';

/** Field values of a wrong type or at a boundary. */
const VALUES = [null, 0, -1, '', [], {}, true, '00000000-0000-7000-8000-000000000000', 'x'.repeat(1_000), 1e308];

/** Mutated frames on the subjects of all requests and of the events of all services. */
export const frameTarget = (nats: NatsConnection): FuzzTarget => {
  const requests = Object.values<unknown>(contracts).filter(contracts.isRequestContract);
  return {
    name: 'NATS frames',
    attack: async random => {
      const { subject, request } = random.pick(requests);
      const shape = 'shape' in request ? Object.keys(request.shape as object) : [];
      const fields = Object.fromEntries(shape.map(field => [field, random.pick(VALUES)]));
      const frame = JSON.stringify([{ v: 1, i: 'fuzz', p: fields, w: 1_000, d: Date.now() + 1_000, c: {} }]);
      const message = Buffer.from(random.chance(0.7) ? mutate(frame, random) : frame, 'latin1');
      nats.publish(subject, message, random.chance(0.5) ? { reply: '_INBOX.fuzz.nobody' } : {});
      await nats.flush();
      return undefined;
    },
  };
};
