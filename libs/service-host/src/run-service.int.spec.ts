import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { freePort, startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import { greet } from './testing/greeter.js';

const library = fileURLToPath(new URL('..', import.meta.url));

interface Line {
  readonly ready?: boolean;
  readonly port?: number;
  readonly msg?: string;
}

describe('A service as a process', () => {
  let postgres: TestPostgres;
  let nats: TestNats;
  let link: NatsLink;
  let client: RequestClient;
  let environment: Record<string, string>;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    // The test runs the compiled service.
    execFileSync(process.execPath, [`${library}/../../node_modules/typescript/bin/tsc`, '-b', library]);
    [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
    environment = { POSTERN_DATABASE_URL: await postgres.createDatabase(), POSTERN_NATS_SERVERS: nats.url };
    link = await connectNats({ servers: nats.url, name: 'caller' });
    client = new RequestClient(link);
  }, 60_000);

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  afterAll(async () => {
    client?.close();
    await link?.close();
    await nats?.stop();
    await postgres?.stop();
  });

  const start = (extra: Record<string, string> = {}, { read = true } = {}) => {
    const child = spawn(process.execPath, [`${library}/dist/testing/greeter-main.js`], {
      env: { ...environment, ...extra },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(child);
    const raw: string[] = [];
    if (read) createInterface({ input: child.stdout }).on('line', line => raw.push(line));
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += chunk;
    });
    const lines = () => raw.map(line => JSON.parse(line) as Line);
    const ready = () => waitFor(() => lines().find(line => line.ready), { describe: () => `readiness; ${errors}` });
    return { child, raw, lines, ready, exit: once(child, 'exit'), errors: () => errors };
  };

  it('prints one line with its port once it is ready', async () => {
    const service = start();
    const { port } = await service.ready();
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
  });

  it('answers the running request after SIGTERM and exits with 0', async () => {
    const service = start();
    await service.ready();
    const slow = client.request(greet, { name: 'ada@private.example', takesMs: 500 });
    await waitFor(() => service.lines().some(line => line.msg === 'Greeting'));
    service.child.kill('SIGTERM');
    await expect(slow).resolves.toEqual({ times: 1 });
    await expect(service.exit).resolves.toEqual([0, null]);
    expect(service.raw.join()).toContain('"name":"…@private.example"');
  });

  it('reports every invalid variable and exits with 2', async () => {
    const service = start({ POSTERN_DATABASE_URL: '', POSTERN_GREETING_LIMIT: 'many' });
    await expect(service.exit).resolves.toEqual([2, null]);
    expect(service.errors()).toContain('POSTERN_DATABASE_URL: is required');
    expect(service.errors()).toContain('POSTERN_GREETING_LIMIT: ');
  });

  it('reports a setting that it finds unusable while it starts, and exits with 2', async () => {
    const service = start({ POSTERN_GREETING_LIMIT: '0' });
    await expect(service.exit).resolves.toEqual([2, null]);
    expect(service.errors()).toBe('The configuration is not usable:\n  POSTERN_GREETING_LIMIT: must not be 0.\n');
  });

  it('exits with its parent if configured to', async () => {
    const service = start({ POSTERN_EXIT_WITH_PARENT: 'true' });
    await service.ready();
    service.child.stdin.end();
    await expect(service.exit).resolves.toEqual([0, null]);
  });

  it('waits for an unavailable database', async () => {
    await postgres.kill();
    const service = start();
    await waitFor(() => service.lines().some(line => line.msg === 'Waiting for PostgreSQL'));
    await postgres.restart();
    await service.ready();
  });

  it('is alive but not ready while it waits', async () => {
    await postgres.kill();
    const port = await freePort();
    const service = start({ POSTERN_HTTP_PORT: String(port) });
    await waitFor(() => service.lines().some(line => line.msg === 'Waiting for PostgreSQL'));
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect([await get('/health/live'), await get('/health/ready')]).toEqual([200, 503]);
    await postgres.restart();
    await service.ready();
    await waitFor(async () => (await get('/health/ready')) === 200);
  });

  it('exits even if its log has no reader', async () => {
    const service = start({ POSTERN_NATS_MIN_PAYLOAD_BYTES: '999999999' });
    service.child.stdout.destroy();
    await expect(service.exit).resolves.toEqual([1, null]);
  });

  it('answers and exits even if the reader of its log is stalled', async () => {
    const service = start({}, { read: false });
    const long = 'x'.repeat(32 * 1024);
    const greeted = () => client.request(greet, { name: long }, { deadlineMs: 1_000 });
    await waitFor(() => greeted(), { describe: 'the service to answer' });
    // A pipe holds 64 KiB, and the test process reads ahead by the same amount.
    for (let lines = 0; lines < 12; lines += 1) await greeted();
    service.child.kill('SIGTERM');
    await expect(service.exit).resolves.toEqual([0, null]);
  });

  it('exits if NATS ends a subscription, because it cannot recover', async () => {
    const conf = join(await mkdtemp(join(tmpdir(), 'postern-nats-conf-')), 'nats.conf');
    const permissions = '{ subscribe: { deny: "postern.requests.>" } }';
    await writeFile(conf, `authorization { users: [{ user: u, password: p, permissions: ${permissions} }] }\n`);
    const strict = await startNats({ args: ['-c', conf] });
    const service = start({
      POSTERN_NATS_SERVERS: strict.url,
      POSTERN_NATS_USER: 'u',
      POSTERN_NATS_PASSWORD: 'p',
      POSTERN_NATS_CLEAR_TEXT: 'true',
    });
    await expect(service.exit).resolves.toEqual([1, null]);
    expect(service.raw.join()).toContain('The connection to NATS cannot recover');
    await strict.stop();
  });

  it('logs an uncaught error and exits with 1', async () => {
    const service = start();
    await service.ready();
    await client.request(greet, { name: 'Loki' }).catch(() => undefined);
    await expect(service.exit).resolves.toEqual([1, null]);
    expect(service.raw.join()).toContain('Unhandled rejection');
  });

  it('is killed if its event loop is blocked, but not if the whole process is stopped', async () => {
    const limitS = 2;
    const service = start({ POSTERN_STALLED_LOOP_LIMIT_S: String(limitS) });
    await service.ready();
    service.child.kill('SIGSTOP');
    const longEnough = performance.now() + (limitS + 2) * 1_000;
    await waitFor(() => performance.now() > longEnough);
    service.child.kill('SIGCONT');
    await expect(client.request(greet, { name: 'Ada' })).resolves.toMatchObject({});
    expect(service.child.exitCode).toBeNull();
    await client.request(greet, { name: 'Medusa' }, { deadlineMs: 500 }).catch(() => undefined);
    await expect(service.exit).resolves.toEqual([null, 'SIGKILL']);
    expect(service.raw.join()).toContain('The event loop has not turned');
  });
});
