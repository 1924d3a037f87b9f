import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balancerFolder, LoadBalancerClient } from '@postern/load-balancer-client';
import { compileCache, waitFor } from '@postern/testing';
import { request, SERVICE } from './testing/balancer-fixture.js';

const app = fileURLToPath(new URL('..', import.meta.url));
const entryPoint = join(app, 'dist/main.js');
/** An instance in its own process, so that it can be killed at any time. */
const INSTANCE = `
  const server = require('node:http').createServer((incoming, response) => {
    if (incoming.url === '/slow') { response.write('slow '); process.stdin.once('data', () => response.end('end')); }
    else response.end(process.argv[1]);
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

describe('The load balancer as a process', () => {
  let home: string;
  let client: LoadBalancerClient;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-balancer-'));
    client = new LoadBalancerClient(home);
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });

  const start = (extra: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [entryPoint], {
      env: { ...compileCache(), POSTERN_PLATFORM_HOME: home, ...extra },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.push(child);
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', line => lines.push(line));
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += chunk;
    });
    const ready = () =>
      waitFor(() => lines.find(line => line.startsWith('{"ready":true')), { describe: () => `${errors}${lines}` });
    return { child, lines, ready, exit: once(child, 'exit'), errors: () => errors };
  };

  const startInstance = async (id: string) => {
    const child = spawn(process.execPath, ['-e', INSTANCE, id], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { id, host: '127.0.0.1', port: Number(line), child };
  };

  it('reports when it is ready, and keeps ports and routes after kill -9', async () => {
    const first = start();
    expect(JSON.parse(await first.ready())).toEqual({ ready: true, name: 'load-balancer', port: 0 });
    const instance = await startInstance('one');
    const url = await client.reserve(SERVICE, 'shop');
    await client.switchTo(SERVICE, [instance], 1);
    expect((await request(url)).body).toBe('one');

    first.child.kill('SIGKILL');
    await first.exit;
    const second = start();
    await second.ready();

    expect((await request(url)).body).toBe('one');
    expect(await client.reserve(SERVICE, 'shop')).toBe(url);
  });

  it('does not report traffic again that was confirmed before kill -9', async () => {
    const first = start();
    await first.ready();
    const url = await client.reserve(SERVICE, 'shop');
    await client.switchTo(SERVICE, [await startInstance('one')], 1);
    await request(url);
    await waitFor(async () => (await readFile(join(balancerFolder(home), 'traffic.json'), 'utf8')).includes(SERVICE));
    const taken: number[] = [];
    const take = () => client.takeTraffic(async traffic => void taken.push(...traffic.map(({ bytes }) => bytes)));

    await take();
    first.child.kill('SIGKILL');
    await first.exit;
    await start().ready();
    await take();

    expect(taken).toEqual([expect.any(Number)]);
  });

  it('fails no request if an instance is killed while another runs', async () => {
    await start().ready();
    const [one, two] = await Promise.all([startInstance('one'), startInstance('two')]);
    const url = await client.reserve(SERVICE, 'shop');
    await client.switchTo(SERVICE, [one, two], 1);
    const statuses: Promise<number | string>[] = [];
    const send = () =>
      request(url).then(
        ({ status }) => status,
        error => String(error),
      );
    for (let index = 0; index < 20; index += 1) statuses.push(send());
    await Promise.all(statuses);

    one.child.kill('SIGKILL');
    for (let round = 0; round < 20; round += 1) {
      const batch = Array.from({ length: 10 }, send);
      statuses.push(...batch);
      await Promise.all(batch);
    }

    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  });

  it('finishes requests in progress on SIGTERM and accepts no new ones', async () => {
    const balancer = start();
    await balancer.ready();
    const instance = await startInstance('one');
    const url = await client.reserve(SERVICE, 'shop');
    await client.switchTo(SERVICE, [instance], 1);
    let body = '';
    const finished = new Promise<void>((resolve, reject) => {
      const outgoing = http.request(`${url}/slow`, { agent: false }, response => {
        response.on('data', chunk => {
          body += chunk;
        });
        response.on('end', resolve);
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
    await waitFor(() => body === 'slow ');

    balancer.child.kill('SIGTERM');
    await waitFor(async () => (await request(url).catch(error => error.code)) === 'ECONNREFUSED');
    instance.child.stdin.write('go on\n');
    await finished;

    expect(body).toBe('slow end');
    expect(await balancer.exit).toEqual([0, null]);
  });

  it('exits with its parent if configured to', async () => {
    const balancer = start({ POSTERN_EXIT_WITH_PARENT: 'true' });
    await balancer.ready();
    balancer.child.stdin.end();

    expect(await balancer.exit).toEqual([0, null]);
  });

  it('exits if another load balancer already serves its home', async () => {
    await start().ready();
    const second = start();

    expect(await second.exit).toEqual([1, null]);
    expect(second.lines.join()).toContain('another load balancer serves');
    expect(await client.routes()).toEqual([]);
  });

  it('reports invalid settings', async () => {
    const balancer = start({ POSTERN_PLATFORM_HOME: '', POSTERN_PLATFORM_BALANCER_PORT: 'many' });

    expect(await balancer.exit).toEqual([2, null]);
    expect(balancer.errors()).toMatch(/POSTERN_PLATFORM_HOME[\s\S]*POSTERN_PLATFORM_BALANCER_PORT/);
  });
});
