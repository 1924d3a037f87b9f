import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectNats, NatsLink, RequestClient } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import { Database } from './database/database.js';
import { createLog } from './log/service-log.js';
import { runningReleases } from './running-releases.js';
import { type RunningService, startService } from './start-service.js';
import { greet, greeter } from './testing/greeter.js';

const isAsleep = async ({ pool }: Database): Promise<boolean> => {
  const { rowCount } = await pool.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
  return rowCount === 1;
};

describe('A service', () => {
  let postgres: TestPostgres;
  let nats: TestNats;
  let service: RunningService;
  let link: NatsLink;
  let client: RequestClient;

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`http://127.0.0.1:${service.port}${path}`, { headers });
  const readiness = async () => {
    const answer = await get('/health/ready');
    const { details } = (await answer.json()) as { details: Record<string, { status: string }> };
    return { code: answer.status, nats: details['nats']?.status, database: details['database']?.status };
  };

  beforeAll(async () => {
    [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
    const databaseUrl = new URL(postgres.adminUrl);
    databaseUrl.pathname = '/made_by_the_service';
    service = await startService(
      { ...greeter, release: { version: '0.3.0', contract: { version: '0.3.0' } } },
      { POSTERN_DATABASE_URL: databaseUrl.href, POSTERN_NATS_SERVERS: nats.url },
      createLog('greeter', 'silent'),
    );
    link = await connectNats({ servers: nats.url, name: 'caller' });
    client = new RequestClient(link);
  }, 60_000);

  afterAll(async () => {
    client?.close();
    await link?.close();
    await service?.stop();
    await nats?.stop();
    await postgres?.stop();
  });

  it('creates its database, migrates it and answers requests', async () => {
    await expect(client.request(greet, { name: 'Ada' })).resolves.toEqual({ times: 1 });
    await expect(client.request(greet, { name: 'Ada' })).resolves.toEqual({ times: 2 });
  });

  it('tells which release it runs', async () => {
    const other = await connectNats({ servers: nats.url, name: 'operator', inboxPrefix: '_INBOX.operator' });
    const expected = { service: greeter.name, version: '0.3.0', contract: { version: '0.3.0' }, processes: 1 };
    expect(await runningReleases(other, 500)).toEqual([expected]);
    await other.close();
  });

  it('is alive and ready', async () => {
    expect((await get('/health/live')).status).toBe(200);
    await expect(readiness()).resolves.toEqual({ code: 200, nats: 'up', database: 'up' });
  });

  it('exposes metrics of requests and the process to Prometheus', async () => {
    const text = await (await get('/metrics')).text();
    expect(text).toContain('rpc_server_duration_count{rpc_method="greet",outcome="ok"');
    expect(text).toContain('nodejs_eventloop_delay_p99{');
    expect(text).toContain('process_memory_usage{');
  });

  it('exposes the same metrics in the OpenMetrics format to those that ask for it', async () => {
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4';
    const [open, plain] = [await get('/metrics', { accept }), await get('/metrics')];
    expect(open.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const seriesOf = (text: string) =>
      text
        .replaceAll(/le="(\d+)\.0"/g, 'le="$1"')
        .match(/^\w+(\{.*\})? /gm)
        ?.sort();
    expect(seriesOf(await open.text())).toEqual(seriesOf(await plain.text()));
  });

  it('is alive but not ready while PostgreSQL is unavailable, and recovers', async () => {
    await postgres.kill();
    await waitFor(async () => (await readiness()).code === 503, { describe: 'readiness to be lost' });
    await expect(readiness()).resolves.toEqual({ code: 503, nats: 'up', database: 'down' });
    expect((await get('/health/live')).status).toBe(200);
    await expect(client.request(greet, { name: 'Ada' })).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      reason: 'unavailable',
      maybeExecuted: true,
    });
    await postgres.restart();
    await waitFor(async () => (await readiness()).code === 200, { describe: 'readiness to return' });
    await expect(client.request(greet, { name: 'Ada' })).resolves.toEqual({ times: 3 });
  });

  it('is temporarily unavailable while the disk of PostgreSQL is full', async () => {
    const { pool } = service.app.get(Database);
    await pool.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
    await pool.query('CREATE TRIGGER full_disk BEFORE INSERT ON greetings EXECUTE FUNCTION full_disk()');
    const failed = client.request(greet, { name: 'Ada' });
    await expect(failed).rejects.toMatchObject({ reason: 'unavailable', maybeExecuted: true, retryAfterS: 30 });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('rpc_server_duration_count{rpc_method="greet",outcome="unavailable"');
    expect(text).not.toContain('outcome="fault"');
    await pool.query('DROP TRIGGER full_disk ON greetings');
  });

  it('is not ready while NATS is stalled, even if its connection is open', async () => {
    process.kill(nats.pid, 'SIGSTOP');
    await waitFor(async () => (await readiness()).code === 503, { describe: 'readiness to be lost' });
    await expect(readiness()).resolves.toEqual({ code: 503, nats: 'down', database: 'up' });
    expect(service.app.get(NatsLink).connected).toBe(true);
    expect((await get('/health/live')).status).toBe(200);
    process.kill(nats.pid, 'SIGCONT');
    await waitFor(async () => (await readiness()).code === 200, { describe: 'readiness to return' });
  });

  it('is not ready while NATS is unavailable, and recovers', async () => {
    await nats.kill();
    await waitFor(async () => (await readiness()).code === 503, { describe: 'readiness to be lost' });
    await expect(readiness()).resolves.toEqual({ code: 503, nats: 'down', database: 'up' });
    await nats.restart();
    await waitFor(async () => link.connected && (await readiness()).code === 200, {
      describe: 'readiness to return, and the connection of the caller',
    });
  });

  it('finishes a running request before it stops', async () => {
    const slow = client.request(greet, { name: 'Grace', takesMs: 400 });
    await waitFor(() => isAsleep(service.app.get(Database)), { describe: 'the request to run' });
    await expect(service.stop()).resolves.toBe(true);
    await expect(slow).resolves.toEqual({ times: 1 });
  });

  it('reports a NATS connection that cannot recover, and is not alive', async () => {
    const { promise: lost, resolve } = Promise.withResolvers<Error>();
    const environment = {
      POSTERN_DATABASE_URL: await postgres.createDatabase(),
      POSTERN_NATS_SERVERS: nats.url,
    };
    const disconnected = await startService(greeter, environment, createLog('greeter', 'silent'), resolve);
    await disconnected.app.get(NatsLink).nc.close();
    await expect(lost).resolves.toBeInstanceOf(Error);
    const alive = await fetch(`http://127.0.0.1:${disconnected.port}/health/live`);
    expect([alive.status, await alive.json()]).toEqual([
      503,
      { status: 'dead', problem: 'the connection to NATS is closed' },
    ]);
    await disconnected.stop();
  });
});
