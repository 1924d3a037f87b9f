import { connectNats, type NatsLink } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres } from '@postern/testing';
import type { Undo } from './undo.js';

/** What a single service needs around it: durable PostgreSQL, NATS with JetStream, and a connection of the bench. */
export interface Surroundings {
  readonly postgres: TestPostgres;
  readonly nats: TestNats;
  readonly link: NatsLink;
}

export const startSurroundings = async (undo: Undo): Promise<Surroundings> => {
  const postgres = await startPostgres({ shared: false, settings: { shared_buffers: '128MB' } });
  undo.push(() => postgres.stop());
  const nats = await startNats();
  undo.push(() => nats.stop());
  const link = await connectNats({ servers: nats.url, name: 'bench' });
  undo.push(() => link.close());
  return { postgres, nats, link };
};
