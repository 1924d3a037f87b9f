import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { hasNetworks } from '../sandbox/network/open-networks.js';
import type { SandboxNetwork, TenantNetworks } from '../sandbox/network/tenant-network.js';
import { canCreateNetworks } from '../sandbox/network/testing/network-fixture.js';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { testNetworks } from '../testing/test-networks.js';
import { DatabaseNetworks } from './database-networks.js';
import { LocalDatabases } from './local-databases.js';
import { processesOf } from './processes.js';
import { findValkey } from './programs.js';
import { stopDatabases } from './stop-databases.js';
import { administered, PLACES, provided, queried, replied, startupOf } from './testing/provided-database.js';

/** Connects `count` times to the address and port, sends a greeting, and prints what happens on the first connection. */
const CLIENT = `
  const { connect } = require('node:net');
  const [host, port, count, greeting = ''] = process.argv.slice(1);
  for (let n = 0; n < Number(count); n++) {
    const socket = connect(Number(port), host);
    const print = text => n === 0 && console.log(text);
    socket.on('connect', () => { print('open'); socket.write(Buffer.from(greeting, 'base64')); });
    socket.on('error', error => print(error.code)).on('close', () => print('closed'));
  }
  setTimeout(() => {}, 60_000);`;

const OPEN = /^open/;
const REFUSED = /^ECONNREFUSED/;

const ifNetworks = canCreateNetworks ? describe : describe.skip;
const ifValkey = findValkey(PLACES) === undefined ? it.skip : it;

ifNetworks('a database in its own network', () => {
  let home: string;
  let networks: TenantNetworks;
  let access: DatabaseNetworks;
  let databases: LocalDatabases;
  const clients: ChildProcess[] = [];
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-database-networks-'));
    await chmod(home, 0o755);
    const { networks: found } = await testNetworks(home);
    if (!hasNetworks(found)) throw new Error(found.unavailable);
    networks = found;
    access = new DatabaseNetworks(home, async () => networks);
    databases = new LocalDatabases(home, PLACES, { sandboxFrames: KEPT_FRAMES, networks: access });
  }, 60_000);
  afterEach(() => {
    for (const client of clients.splice(0)) client.kill('SIGKILL');
  });
  afterAll(async () => {
    await databases.retain(new Set());
    await stopDatabases(home);
    await networks.dismantle();
    await rm(home, { recursive: true });
  }, 60_000);

  /** The network of an instance of a web service. */
  const instanceOf = async (webServiceId: string): Promise<SandboxNetwork> => {
    const network = await networks.create(`instance-${uuidv7()}`, { reach: 'internet' });
    await access.permit(webServiceId, network);
    return network;
  };

  /** Starts a client in the network, whose output is what happens to its first connection. */
  const client = (network: SandboxNetwork, { kind, host, port }: DatabaseOrder, count = 1): (() => string) => {
    const greeting = kind === 'relational' ? startupOf('app') : Buffer.from('PING\r\n');
    const [program = '', ...args] = network.wrap([
      process.execPath,
      '-e',
      CLIENT,
      host,
      String(port),
      String(count),
      greeting.toString('base64'),
    ]);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    clients.push(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    return () => output.trim();
  };
  const becomes = (output: () => string, text: RegExp) =>
    waitFor(async () => text.test(output()), { timeoutMs: 10_000 }).catch(() => expect(output()).toMatch(text));

  it('is reached by the machine and by instances of attached web services, and by nobody else', async () => {
    const made = await provided(databases, 'relational');
    expect(made.host).not.toBe('127.0.0.1');
    expect(await queried(made, ['SELECT 1 AS one'])).toEqual([{ one: 1 }]);
    const webServiceId = uuidv7();
    const before = await instanceOf(webServiceId);
    await becomes(client(before, made), REFUSED);
    await databases.ensure({ ...made, attachedTo: [webServiceId] });
    await becomes(client(before, made), OPEN);
    await becomes(client(await instanceOf(webServiceId), made), OPEN);
    await becomes(client(await instanceOf(uuidv7()), made), REFUSED);
  }, 60_000);

  it('ends open connections of a web service from which it is detached', async () => {
    const webServiceId = uuidv7();
    const made = await provided(databases, 'relational');
    await databases.ensure({ ...made, attachedTo: [webServiceId] });
    const network = await instanceOf(webServiceId);
    const script = `
      const pg = require('pg');
      const client = new pg.Client(process.argv[1]);
      client.on('error', () => {});
      client.connect().then(() => console.log('connected'));
      client.on('end', () => { console.log('ended'); process.exit(); });`;
    const url = `postgresql://app:${made.password}@${made.host}:${made.port}/app`;
    const [program = '', ...args] = network.wrap([process.execPath, '-e', script, url]);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    clients.push(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await waitFor(async () => output.includes('connected'));
    const detachedAt = Date.now();
    await databases.ensure({ ...made, attachedTo: [] });
    await waitFor(async () => output.includes('ended'), { timeoutMs: 5_000 });
    expect(Date.now() - detachedAt).toBeLessThan(5_000);
    const left = await administered(home, made, ["SELECT pid FROM pg_stat_activity WHERE usename = 'app'"]);
    expect(left).toEqual([]);
    await becomes(client(network, made), REFUSED);
  }, 60_000);

  it('connects to nothing itself', async () => {
    const made = await provided(databases, 'relational');
    const network = await networks.find(`database-${made.databaseId}`);
    const [program = '', ...args] = network!.wrap([
      ...[process.execPath, '-e', `${CLIENT}; setTimeout(() => process.exit(), 3_000)`],
      ...['198.51.100.1', '80', '1'],
    ]);
    const { stdout } = await promisify(execFile)(program, args);
    expect(stdout).toMatch(/^(ENETUNREACH|EHOSTUNREACH|ECONNREFUSED)/);
    const links = "COPY output FROM PROGRAM 'cat /proc/net/dev | tail -n +3 | cut -d: -f1' (DELIMITER E''\\x01'')";
    const rows = await administered(home, made, [
      'CREATE TEMPORARY TABLE output (line text)',
      links.replaceAll("''", "'"),
      'SELECT trim(line) AS line FROM output ORDER BY 1',
    ]);
    expect(rows).toEqual([{ line: 'eth0' }, { line: 'lo' }]);
  }, 60_000);

  it('keeps its address over a restart of its server and of the platform, and is not restarted by the latter', async () => {
    const made = await provided(databases, 'relational');
    const marks = { folder: join(home, 'databases', made.databaseId, 'data'), uid: undefined };
    const [pid] = await processesOf(marks);
    const again = new LocalDatabases(home, PLACES, { sandboxFrames: KEPT_FRAMES, networks: access });
    expect(await again.reserve(made.databaseId, 'relational')).toEqual({ host: made.host, port: made.port });
    await again.ensure(made);
    expect((await processesOf(marks))[0]).toBe(pid);
    await stopDatabases(home);
    expect(await networks.find(`database-${made.databaseId}`)).toBeUndefined();
    await again.ensure(made);
    expect(await queried(made, ['SELECT 1 AS one'])).toEqual([{ one: 1 }]);
  }, 60_000);

  it('moves into its network if its server was started without one', async () => {
    const earlier = new LocalDatabases(home, PLACES, { sandboxFrames: KEPT_FRAMES });
    const made = await provided(earlier, 'relational');
    expect(made.host).toBe('127.0.0.1');
    await queried(made, ['CREATE TABLE kept ()']);
    await databases.ensure(made);
    const { host, port } = await databases.reserve(made.databaseId, 'relational');
    expect(host).not.toBe('127.0.0.1');
    await queried({ ...made, host, port }, ['SELECT FROM kept']);
    await expect(queried(made, ['SELECT 1'])).rejects.toThrow('ECONNREFUSED');
  }, 60_000);

  it('serves the machine and is not restarted while an attached instance holds 200 connections', async () => {
    const webServiceId = uuidv7();
    const made = await provided(databases, 'relational');
    await databases.ensure({ ...made, attachedTo: [webServiceId] });
    const marks = { folder: join(home, 'databases', made.databaseId, 'data'), uid: undefined };
    const [pid] = await processesOf(marks);
    await becomes(client(await instanceOf(webServiceId), made, 200), OPEN);
    expect(await databases.isRunning(made.databaseId)).toBe(true);
    await queried(made, ['SELECT 1']);
    await databases.ensure({ ...made, attachedTo: [webServiceId] });
    expect((await processesOf(marks))[0]).toBe(pid);
  }, 60_000);

  ifValkey(
    'serves the platform while instances hold all connections of a key-value store',
    async () => {
      const webServiceId = uuidv7();
      const made = await provided(databases, 'key_value');
      await databases.ensure({ ...made, attachedTo: [webServiceId] });
      const held = client(await instanceOf(webServiceId), made, 200);
      await becomes(held, OPEN);
      expect(await databases.isRunning(made.databaseId)).toBe(true);
      await databases.ensure({ ...made, attachedTo: [] });
      await waitFor(async () =>
        replied(made, `AUTH app ${made.password}`, 'PING').then(
          ([, pong]) => pong === '+PONG',
          () => false,
        ),
      );
    },
    60_000,
  );

  it('leaves no network when it is removed', async () => {
    const made = await provided(databases, 'relational');
    await databases.remove(made.databaseId);
    expect(await networks.find(`database-${made.databaseId}`)).toBeUndefined();
    expect((await networks.allowed()).filter(({ destination }) => destination === made.host)).toEqual([]);
  }, 60_000);
});
