import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freePort } from './free-port.js';
import { copyCluster, type KeptCluster } from './kept-clusters.js';
import { spawnPostgres } from './postgres-server.js';
import { waitFor } from './wait-for.js';

const MODULE = join(import.meta.dirname, '../dist/kept-clusters.js');

/** A process that copies a cluster, whose creation is slow; `halfway` exits in the middle of the creation. */
const PROCESS = `
  import { appendFile, mkdir, writeFile } from 'node:fs/promises';
  import { setTimeout as pause } from 'node:timers/promises';
  const [module, cache, target, halfway] = process.argv.slice(1);
  const { copyCluster } = await import(module);
  const make = async dataDir => {
    await appendFile(cache + '.made', 'x');
    await mkdir(dataDir);
    await writeFile(dataDir + '/first', '1');
    if (halfway) { console.log('halfway'); await pause(60_000); }
    await pause(200);
    await writeFile(dataDir + '/second', '2');
  };
  await copyCluster(target, { name: 'test', key: 'a', make }, cache);
`;

describe('A kept cluster', () => {
  let folder: string;
  let cache: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-kept-'));
    await chmod(folder, 0o711);
    cache = join(folder, 'cache');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const args = (target: string) => ['--input-type=module', '-e', PROCESS, MODULE, cache, join(folder, target)];
  const madeOnce = (key: string, notes: string): KeptCluster => ({
    name: 'noted',
    key,
    make: async dataDir => {
      await mkdir(dataDir);
      await writeFile(join(dataDir, 'note'), key);
      await appendFile(join(folder, notes), `${key} `);
    },
  });

  it('is created by one of several concurrent processes, and copied by all', async () => {
    await Promise.all(['one', 'two', 'three'].map(target => promisify(execFile)(process.execPath, args(target))));
    await expect(readFile(`${cache}.made`, 'utf8')).resolves.toBe('x');
    for (const target of ['one', 'two', 'three'])
      expect((await readdir(join(folder, target))).sort()).toEqual(['first', 'second']);
  });

  it('of a process that was killed during the creation is never copied', async () => {
    const killed = spawn(process.execPath, [...args('one'), 'halfway'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await killed.stdout.take(1).toArray();
    killed.kill('SIGKILL');
    // A lock that was not refreshed for 30 seconds counts as stale.
    for (const entry of await readdir(cache))
      if (entry.startsWith('.installing')) await utimes(join(cache, entry), 0, 0);
    await promisify(execFile)(process.execPath, args('two'));
    expect((await readdir(join(folder, 'two'))).sort()).toEqual(['first', 'second']);
  });

  it('with another key is a separate cluster', async () => {
    for (const [key, target] of [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ] as const)
      await copyCluster(join(folder, target), madeOnce(key, 'notes'), cache);
    await expect(readFile(join(folder, 'notes'), 'utf8')).resolves.toBe('a b ');
    await expect(readFile(join(folder, '3/note'), 'utf8')).resolves.toBe('a');
  });

  it('that was not copied for a week is removed when another one is created', async () => {
    await copyCluster(join(folder, '1'), madeOnce('old', 'notes'), cache);
    const [old = ''] = (await readdir(cache)).filter(name => !name.startsWith('.'));
    await utimes(join(cache, old), 0, 0);
    await copyCluster(join(folder, '2'), madeOnce('new', 'notes'), cache);
    expect(existsSync(join(cache, old))).toBe(false);
  });

  it('is started from its copies, which share no data', async () => {
    const start = async (name: string) => {
      const dataDir = join(folder, name);
      const create = (target: string) => copyCluster(target, undefined, cache);
      return spawnPostgres({ dataDir, port: await freePort(), durable: false, create });
    };
    const [first, second] = [await start('first'), await start('second')];
    try {
      for (const server of [first, second]) {
        const client = new pg.Client({ connectionString: server.url() });
        await client.connect();
        // Would fail on the second server if they shared data.
        await client.query('CREATE DATABASE mine').finally(() => client.end());
      }
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
    await waitFor(() => !first.isRunning && !second.isRunning);
  });
});
