import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import {
  backUpPostgres,
  freePort,
  type PostgresServer,
  type SilencingProxy,
  serviceDatabaseUrl,
  spawnPostgres,
  startSilencingProxy,
  waitFor,
} from '@postern/testing';
import pg from 'pg';
import { postern } from '../operator.js';
import { temporaryHome } from '../temporary-home.js';
import { ownWorldWithClusters } from './clusters.js';
import { copiesByRecipient, underLoad } from './load.js';
import { delivered, restoreOf, STORY_WITHIN_MS, sendMany } from './restores.js';

const HEALED_WITHIN_MS = 30_000;
const NAME = 'standby';

/** The address of the PostgreSQL of email-send, which moves to the standby. */
let address: SilencingProxy;
const { world, clusters } = await ownWorldWithClusters({ wal_keep_size: '256MB' }, async servers => {
  address = await startSilencingProxy(serviceDatabaseUrl('email-send', servers['email-send']));
  const direct = (service: 'platform-management' | 'delivery-tracking' | 'webhook-dispatch') =>
    serviceDatabaseUrl(service, servers[service]);
  return {
    'platform-management': direct('platform-management'),
    'email-send': address.url,
    'delivery-tracking': direct('delivery-tracking'),
    'webhook-dispatch': direct('webhook-dispatch'),
  };
});
const sender = await world.sender('Promoted', 'crash.test');
const home = temporaryHome();
let standby: PostgresServer | undefined;
afterAll(async () => {
  await standby?.stop();
  await address.stop();
  home.remove();
});

const query = async (server: PostgresServer, ...statements: string[]): Promise<Record<string, unknown>> => {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  try {
    for (const statement of statements.slice(0, -1)) await client.query(statement);
    return (await client.query(statements.at(-1) ?? '')).rows[0] ?? {};
  } finally {
    await client.end();
  }
};

/** Starts a standby of a server, for which every commit waits from then on. */
const startStandby = async (primary: PostgresServer): Promise<PostgresServer> => {
  const dataDir = join(home.folder, NAME);
  const started = await spawnPostgres({
    dataDir,
    port: await freePort(),
    create: async folder => {
      await backUpPostgres(primary, folder);
      writeFileSync(join(folder, 'standby.signal'), '');
    },
    settings: {
      shared_buffers: '64MB',
      primary_conninfo: `host=127.0.0.1 port=${primary.state.options.port} user=postgres application_name=${NAME}`,
    },
  });
  await query(primary, `ALTER SYSTEM SET synchronous_standby_names = '${NAME}'`, 'SELECT pg_reload_conf()');
  await waitFor(
    async () => (await query(primary, 'SELECT sync_state FROM pg_stat_replication'))['sync_state'] === 'sync',
    { timeoutMs: 30_000, describe: 'the standby to be synchronous' },
  );
  return started;
};

it(
  'promotion of a synchronous standby loses nothing that was answered, and services heal within 30 s',
  async () => {
    const primary = clusters['email-send'];
    standby = await startStandby(primary);
    let promotedAt = 0;
    let healedAt = 0;
    const sent = await underLoad(sender, 'promoted', async soFar => {
      const accepted = () => soFar.filter(({ status }) => status === 'sent').length;
      await waitFor(() => accepted() >= 30, { timeoutMs: 60_000, describe: 'messages before the loss' });
      // The machine of the primary loses power: its connections end without a sign.
      address.silence({ withNew: true });
      await primary.kill();
      await query(standby as PostgresServer, 'SELECT pg_promote()');
      address.moveTo((standby as PostgresServer).url());
      address.heal();
      promotedAt = performance.now();
      const before = accepted();
      await waitFor(() => accepted() >= before + 10, { timeoutMs: 120_000, describe: 'messages after the promotion' });
      healedAt = performance.now();
    });
    expect(healedAt - promotedAt).toBeLessThan(HEALED_WITHIN_MS);

    const answered = sent.filter(({ id }) => id !== undefined);
    for (const { id } of answered) expect((await sender.get(String(id))).status).toBe(200);
    const ofSent = answered.filter(({ status }) => status === 'sent').map(({ id }) => String(id));
    await delivered(sender, ofSent);
    const copies = await copiesByRecipient(world.postern.mailboxUrl);
    expect(sent.filter(({ recipient }) => (copies.get(recipient) ?? 0) > 1)).toEqual([]);
    await delivered(sender, await sendMany(sender, 'later'));
    const { printed } = await postern(world.postern, ['doctor', '--no-mail']);
    expect(printed).toMatch(/another log began at .*: its database was restored, moved or promoted/);
    expect(printed).toMatch(restoreOf('email-send'));
  },
  STORY_WITHIN_MS,
);
