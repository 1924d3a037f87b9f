import { connectNats, type NatsLink } from '@postern/messaging';
import { type Cleanup, startNats, startPostgres, type TestNats, type TestPostgres } from '@postern/testing';

/** The infrastructure of a single service: durable PostgreSQL, NATS with JetStream, and a connection. */
export interface Infrastructure {
  readonly postgres: TestPostgres;
  readonly nats: TestNats;
  readonly link: NatsLink;
}

export const startInfrastructure = async (cleanup: Cleanup): Promise<Infrastructure> => {
  const postgres = await startPostgres({ shared: false, settings: { shared_buffers: '128MB' } });
  cleanup.push(() => postgres.stop());
  const nats = await startNats();
  cleanup.push(() => nats.stop());
  const link = await connectNats({ servers: nats.url, name: 'bench' });
  cleanup.push(() => link.close());
  return { postgres, nats, link };
};
