import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, it } from '@jest/globals';
import { startPostgres, type TestPostgres, waitFor } from '@postern/testing';
import pg from 'pg';
import { EventDelivery, numbers, type Producer } from './testing/event-delivery-fixture.js';

const run = promisify(execFile);
const delivery = new EventDelivery();
const RESTORED = 'The event log was restored; consumers continue with what it holds';
const CONTINUED = 'The log of a service was restored: this consumer continues with the last events that it holds';

let cluster: TestPostgres | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

const admin = async (sql: string) => {
  const client = new pg.Client({ connectionString: delivery.postgres.adminUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
};

/** A copy of a database as it is now; ends its sessions. */
const backup = async (from: string, to: string) => {
  await admin(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}' AND pid <> pg_backend_pid()`,
  );
  await waitFor(
    () =>
      admin(`CREATE DATABASE ${to} TEMPLATE ${from}`).then(
        () => true,
        () => false,
      ),
    { describe: `a copy of ${from}` },
  );
};
const urlOf = (name: string) => delivery.postgres.adminUrl.replace(/\/postgres$/, `/${name}`);

/** Waits until the service knows that the consumer has read everything. */
const allRead = ({ published }: Producer) =>
  waitFor(
    async () =>
      (await published.readers()).some(({ lag, askedSecondsAgo }) => askedSecondsAgo !== undefined && lag.events === 0),
    {
      describe: 'the consumer to be up to date',
    },
  );
const findingsOf = async (pool: pg.Pool, producer?: Producer) =>
  (await delivery.operations(pool, producer?.published).diagnose()).findings;

it('A log that is restored from an older dump goes on, and both services say so', async () => {
  let producer = await delivery.startProducer();
  await delivery.startConsumer();
  await delivery.append(1, 500);
  await delivery.takenAll(500);
  await allRead(producer);
  await producer.stop();
  await backup('source', 'dumped');
  producer = await delivery.startProducer();
  await delivery.append(501, 800);
  await delivery.takenAll(800);
  await producer.stop();

  await delivery.useSource(urlOf('dumped'));
  producer = await delivery.startProducer();
  await delivery.append(1_001, 1_300);
  await waitFor(() => delivery.taken.includes(1_300), { describe: 'the events after the restore' });
  expect(delivery.taken.slice(-300)).toEqual(numbers(1_001, 1_300));
  expect(delivery.lines).toEqual(expect.arrayContaining([RESTORED, CONTINUED]));
  expect(await findingsOf(delivery.source, producer)).toContainEqual(
    expect.objectContaining({ check: 'event log', verdict: 'warning' }),
  );
  expect(await findingsOf(delivery.own)).toContainEqual(
    expect.objectContaining({ check: 'events of email-send', verdict: 'warning' }),
  );
});

it('A database cluster that goes back to a copy of its files uses transactions again, and no event is lost', async () => {
  cluster = await startPostgres({ shared: false, durable: true });
  await delivery.useSource(await cluster.createDatabase('source'));
  const { rows } = await delivery.source.query<{ data_directory: string }>('SHOW data_directory');
  const folder = rows[0]?.data_directory ?? '';
  let producer = await delivery.startProducer();
  await delivery.startConsumer();
  await delivery.append(1, 100);
  await delivery.takenAll(100);
  await allRead(producer);
  await producer.stop();
  await cluster.kill();
  await run('cp', ['-a', folder, `${folder}.copy`]);
  await cluster.restart();

  producer = await delivery.startProducer();
  await delivery.append(101, 300);
  await delivery.takenAll(300);
  await producer.stop();
  await cluster.kill();
  await run('rm', ['-r', folder]);
  await run('mv', [`${folder}.copy`, folder]);
  await cluster.restart();

  // The consumer has read positions that these events use again.
  await delivery.append(1_001, 1_150);
  producer = await delivery.startProducer();
  await waitFor(() => delivery.taken.includes(1_150), { describe: 'the events after the restore' });
  expect(new Set(delivery.taken)).toEqual(new Set([...numbers(1, 300), ...numbers(1_001, 1_150)]));
  expect(delivery.lines).toEqual(expect.arrayContaining([RESTORED, CONTINUED]));
}, 60_000);

it('A consumer that is restored from an older dump handles again what came after it', async () => {
  await delivery.startProducer();
  let consumer = await delivery.startConsumer();
  await delivery.append(1, 200);
  await delivery.takenAll(200);
  await consumer.stop();
  await backup('own', 'own_dumped');
  consumer = await delivery.startConsumer();
  await delivery.append(201, 500);
  await delivery.takenAll(500);
  await consumer.stop();

  delivery.taken = [];
  await delivery.useOwn(urlOf('own_dumped'));
  await delivery.startConsumer();
  await waitFor(() => delivery.taken.includes(500));
  expect(delivery.taken).toEqual(numbers(201, 500));
});

it('A log and its consumer that are restored from dumps of different age go on', async () => {
  let producer = await delivery.startProducer();
  let consumer = await delivery.startConsumer();
  await delivery.append(1, 200);
  await delivery.takenAll(200);
  await allRead(producer);
  await consumer.stop();
  await backup('own', 'own_older');
  consumer = await delivery.startConsumer();
  await delivery.append(201, 400);
  await delivery.takenAll(400);
  await allRead(producer);
  await producer.stop();
  await backup('source', 'source_older');
  producer = await delivery.startProducer();
  await delivery.append(401, 600);
  await delivery.takenAll(600);
  await Promise.all([producer.stop(), consumer.stop()]);

  delivery.taken = [];
  await delivery.useSource(urlOf('source_older'));
  await delivery.useOwn(urlOf('own_older'));
  await delivery.startProducer();
  await delivery.startConsumer();
  await delivery.append(1_001, 1_010);
  await waitFor(() => delivery.taken.includes(1_010));
  expect(delivery.taken).toEqual([...numbers(201, 400), ...numbers(1_001, 1_010)]);
});
