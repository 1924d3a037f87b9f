import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
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
    // The process under test is the compiled one.
    execFileSync(process.execPath, [`${library}/../../node_modules/typescript/bin/tsc`, '-b', library]);
    [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
    environment = { POSTERN_DATABASE_URL: await postgres.createDatabase(), POSTERN_NATS_SERVERS: nats.url };
    link = await connectNats({ servers: nats.url, name: 'asker' });
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

  const start = (extra: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [`${library}/dist/testing/greeter-main.js`], {
      env: { ...environment, ...extra },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(child);
    const raw: string[] = [];
    createInterface({ input: child.stdout }).on('line', line => raw.push(line));
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += chunk;
    });
    const lines = () => raw.map(line => JSON.parse(line) as Line);
    const ready = () => waitFor(() => lines().find(line => line.ready), { describe: () => `readiness; ${errors}` });
    return { child, raw, lines, ready, exit: once(child, 'exit'), errors: () => errors };
  };

  it('says on one line that it is ready, and where', async () => {
    const service = start();
    const { port } = await service.ready();
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
  });

  it('answers the request under way when SIGTERM comes, and ends with 0', async () => {
    const service = start();
    await service.ready();
    const slow = client.request(greet, { name: 'ada@private.example', takesMs: 500 });
    await waitFor(() => service.lines().some(line => line.msg === 'Greeting'));
    service.child.kill('SIGTERM');
    await expect(slow).resolves.toEqual({ times: 1 });
    await expect(service.exit).resolves.toEqual([0, null]);
    expect(service.raw.join()).toContain('"name":"…@private.example"');
  });

  it('names every unusable variable and ends with 2', async () => {
    const service = start({ POSTERN_DATABASE_URL: '', POSTERN_GREETING_LIMIT: 'many' });
    await expect(service.exit).resolves.toEqual([2, null]);
    expect(service.errors()).toContain('POSTERN_DATABASE_URL: is required');
    expect(service.errors()).toContain('POSTERN_GREETING_LIMIT: ');
  });

  it('ends when its parent does, where it is told to', async () => {
    const service = start({ POSTERN_EXIT_WITH_PARENT: 'true' });
    await service.ready();
    service.child.stdin.end();
    await expect(service.exit).resolves.toEqual([0, null]);
  });

  it('waits for a database that is not there yet', async () => {
    await postgres.kill();
    const service = start();
    await waitFor(() => service.lines().some(line => line.msg === 'Waiting for PostgreSQL'));
    await postgres.restart();
    await service.ready();
  });
});
