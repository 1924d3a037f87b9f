import { type ChildProcess, execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DatabaseOrder } from '@postern/runtime';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { parseBlock } from '../sandbox/network/address-block.js';
import type { NetworkPrograms } from '../sandbox/network/network-programs.js';
import { TenantNetworks } from '../sandbox/network/tenant-network.js';
import { canCreateNetworks, policy, programs } from '../sandbox/network/testing/network-fixture.js';
import { SeparateMachine } from '../sandbox/network/testing/separate-machine.js';
import { KEPT_FRAMES } from '../testing/kept-frames.js';
import { DatabaseNetworks } from './database-networks.js';
import { LocalDatabases } from './local-databases.js';
import { stopDatabases } from './stop-databases.js';
import { administered, PLACES, provided } from './testing/provided-database.js';

const HOST = 'db.example.com';
const REFUSED = /Connection refused/;
const FROM_OUTSIDE = 'SELECT host(client_addr) AS client FROM pg_stat_activity WHERE client_addr IS NOT NULL';

/** Prints the ports of databases that accept connections. */
const SCAN = `
  const { connect } = require('node:net');
  const open = [];
  const next = port => {
    if (port === 12_000) return console.log(JSON.stringify(open));
    const socket = connect(port, process.argv[1]);
    socket.on('connect', () => { open.push(port); socket.destroy(); }).on('error', () => {}).on('close', () => next(port + 1));
  };
  next(10_000);`;

/** Opens connections that say nothing, and prints how many were accepted. */
const FLOOD = `
  const { connect } = require('node:net');
  const [host, port, count] = process.argv.slice(1);
  let [accepted, ended] = [0, 0];
  const end = () => ++ended === Number(count) && (console.log(accepted), process.exit());
  for (let n = 0; n < Number(count); n++) {
    const socket = connect(Number(port), host);
    socket.on('connect', () => { accepted++; setTimeout(end, 2_000); }).on('error', end);
  }`;

const isRoot = process.getuid?.() === 0;

(canCreateNetworks && isRoot ? describe : describe.skip)('access to databases from outside', () => {
  let home: string;
  let machine: SeparateMachine;
  let networks: TenantNetworks;
  let access: DatabaseNetworks;
  let databases: LocalDatabases;
  let made: DatabaseOrder;
  const allow = (opensSandboxes: boolean) => {
    const ownAddresses = [SeparateMachine.ADDRESS];
    return networks.apply(policy({ opensSandboxes, ownAddresses, ownPublicAddresses: ownAddresses }));
  };
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-outside-'));
    await chmod(home, 0o755);
    machine = new SeparateMachine(programs as NetworkPrograms, join(home, 'claims'));
    await machine.create();
    networks = await TenantNetworks.open({ home, pool: parseBlock('10.208.0.0/12'), host: machine.host });
    await allow(true);
    access = new DatabaseNetworks(home, async () => networks, HOST);
    const options = { sandboxFrames: KEPT_FRAMES, networks: access };
    databases = new LocalDatabases(home, PLACES, options);
    made = await provided(databases, 'relational');
  }, 240_000);
  afterAll(async () => {
    await databases.retain(new Set());
    await stopDatabases(home);
    await networks.dismantle();
    await machine.remove();
    await rm(home, { recursive: true });
  }, 240_000);

  const open = (...allowedCidrs: string[]) => databases.ensure({ ...made, allowedCidrs });
  const urlOf = (user: string, database: string, password: string, sslmode = 'verify-full') =>
    `postgresql://${user}:${password}@${HOST}:${made.port}/${database}?sslmode=${sslmode}` +
    `&sslrootcert=${encodeURIComponent(join(home, 'databases/authority/ca.crt'))}` +
    `&hostaddr=${SeparateMachine.ADDRESS}&connect_timeout=5`;
  const psql = (url: string, statement = 'SELECT host(inet_client_addr())') =>
    machine.runOutside(['psql', '--no-psqlrc', '-Atc', statement, url]);
  const asOwner = (sslmode?: string) => psql(urlOf('app', 'app', made.password, sslmode));
  const portsOpen = async () =>
    JSON.parse(await machine.runOutside([process.execPath, '-e', SCAN, SeparateMachine.ADDRESS])) as number[];
  const connected = async () => (await administered(home, made, [FROM_OUTSIDE])).map(({ client }) => client);

  it('is not possible while no database is open', async () => {
    await expect(asOwner()).rejects.toThrow(REFUSED);
    expect(await portsOpen()).toEqual([]);
    const direct = `postgresql://app:${made.password}@${made.host}:${made.port}/app`;
    await expect(psql(direct)).rejects.toThrow(REFUSED);
  }, 240_000);

  it('is possible from an allowed network, with a certificate that clients can verify and their own address', async () => {
    expect(await databases.externalHostFor('relational')).toEqual({ host: HOST });
    await open('203.0.113.0/24');
    expect(await asOwner()).toBe(SeparateMachine.COMPUTERS[0]);
    expect(await portsOpen()).toEqual([made.port]);
  }, 240_000);

  it('needs TLS, and the role and the database of the owner', async () => {
    await open('0.0.0.0/0');
    await expect(asOwner('disable')).rejects.toThrow(/no pg_hba.conf entry for host "203.0.113.2".*no encryption/);
    for (const [user, database] of [
      ['app', 'postgres'],
      ['postgres', 'app'],
      ['postgres', 'postgres'],
      ['attached_0', 'app'],
    ] as const)
      await expect(psql(urlOf(user, database, made.password))).rejects.toThrow(/pg_hba.conf/);
    await expect(psql(urlOf('app', 'app', 'wrong'))).rejects.toThrow(/password authentication failed/);
    const log = await readFile(join(home, 'databases', made.databaseId, 'server.log'), 'utf8');
    expect(log).toMatch(/ 203\.0\.113\.2 FATAL: {2}password authentication failed for user "app"/);
  }, 240_000);

  it('is not possible for a sandbox of the machine, and lets the database itself connect to nothing', async () => {
    await open('0.0.0.0/0');
    const stranger = await networks.create(`instance-${uuidv7()}`, { reach: 'internet' });
    const within = async (argv: readonly string[]) => {
      const [program = '', ...args] = argv;
      return (await promisify(execFile)(program, args)).stdout.trim();
    };
    const url = urlOf('app', 'app', made.password);
    await expect(within(stranger.wrap(['psql', '-Atc', 'SELECT 1', url]))).rejects.toThrow(REFUSED);
    const [, computer] = SeparateMachine.COMPUTERS;
    const listener = `require('node:net').createServer().listen(80, '${computer}')`;
    const listening: ChildProcess = machine.startOutside([process.execPath, '-e', listener]);
    const reach = `const s = require('node:net').connect(80, '${computer}');
      s.on('connect', () => { console.log('open'); process.exit(); }).on('error', error => console.log(error.code));`;
    await waitFor(async () => (await machine.runOutside([process.execPath, '-e', reach])) === 'open');
    const server = await networks.find(`database-${made.databaseId}`);
    expect(await within(server!.wrap([process.execPath, '-e', reach]))).toMatch(/^E(CONNREFUSED|HOSTUNREACH|ACCES)/);
    listening.kill('SIGKILL');
  }, 240_000);

  it('is bounded, so that attached web services always can connect', async () => {
    const webServiceId = uuidv7();
    const network = await networks.create(`instance-${uuidv7()}`, { reach: 'internet' });
    await access.permit(webServiceId, network);
    await databases.ensure({ ...made, attachedTo: [webServiceId], allowedCidrs: ['0.0.0.0/0'] });
    const flood = machine.runOutside([
      ...[process.execPath, '-e', FLOOD],
      ...[SeparateMachine.ADDRESS, String(made.port), '100'],
    ]);
    const url = `postgresql://app:${made.password}@${made.host}:${made.port}/app`;
    const [program = '', ...args] = network.wrap(['psql', '-Atc', 'SELECT 1', url]);
    for (let n = 0; n < 5; n += 1) expect((await promisify(execFile)(program, args)).stdout).toBe('1\n');
    expect(Number(await flood)).toBeLessThanOrEqual(made.limits.connections);
  }, 240_000);

  it('ends at once for a network that is removed, also for open connections', async () => {
    const [first] = SeparateMachine.COMPUTERS;
    await open(`${first}/32`);
    const ended = psql(urlOf('app', 'app', made.password), 'SELECT pg_sleep(60)').then(
      () => 'finished',
      (error: Error) => error.message,
    );
    await waitFor(async () => (await connected()).length === 1);
    await open('198.51.100.0/24', `${first}/32`, '203.0.113.0/24');
    expect(await connected()).toEqual([first]);
    await open('198.51.100.0/24');
    expect(await ended).toMatch(/terminat|closed|reset/);
    expect(await connected()).toEqual([]);
    await expect(asOwner()).rejects.toThrow(REFUSED);
    await open();
    await expect(asOwner()).rejects.toThrow(REFUSED);
  }, 240_000);

  it('ends at once if the administrator does not allow it any more', async () => {
    await open('203.0.113.0/24');
    expect(await asOwner()).toBe(SeparateMachine.COMPUTERS[0]);
    await allow(false);
    await expect(asOwner()).rejects.toThrow(REFUSED);
    await allow(true);
    expect(await asOwner()).toBe(SeparateMachine.COMPUTERS[0]);
    const restricted = new LocalDatabases(home, PLACES, {
      sandboxFrames: KEPT_FRAMES,
      networks: new DatabaseNetworks(home, async () => networks),
    });
    await restricted.ensure({ ...made, allowedCidrs: ['203.0.113.0/24'] });
    await expect(asOwner()).rejects.toThrow(REFUSED);
    expect(await restricted.externalHostFor('relational')).toEqual({
      refusal: expect.stringContaining('POSTERN_PLATFORM_DATABASE_HOST'),
    });
  }, 240_000);
});
