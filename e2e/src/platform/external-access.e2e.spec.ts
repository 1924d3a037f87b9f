import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { CommandRunner } from '../command/command-runner.js';
import { ownPlatform } from '../stories.js';
import { canConnectComputers, OutsideComputer } from './outside-computer.js';

const HOST = 'db.example.com';
const REFUSED = /Connection refused/;
const environment = { 'runtime-agent': { POSTERN_PLATFORM_DATABASE_HOST: HOST } };
const started = canConnectComputers ? await ownPlatform({ environment }) : undefined;

(canConnectComputers ? describe : describe.skip)('a relational database that is open to a network outside', () => {
  let computer: OutsideComputer;
  const platform = started!;
  let runner: CommandRunner;
  let id: string;
  let path: string;
  let password: string;
  let port: number;

  beforeAll(async () => {
    computer = await OutsideComputer.connect();
    const { postern } = platform.world;
    runner = new CommandRunner({ POSTERN_URL: postern.baseUrl, POSTERN_PLATFORM_KEY: platform.writer.key });
    const made = await platform.world.callDashboardApi('POST', '/databases', { name: 'orders', kind: 'relational' });
    id = String(made.body['id']);
    path = `/databases/${id}`;
    password = new URL(String(made.body['connection_url'])).password;
    await waitFor(async () => (await platform.reader.get(path)).body['status'] === 'running', {
      timeoutMs: 180_000,
      describe: 'the database to run',
    });
  }, 240_000);
  afterAll(async () => {
    runner?.stop();
    await computer?.remove();
  });

  const access = async () => (await platform.reader.get(path)).body['external_access'];
  const certificate = () => join(runner.folder, 'database-ca.crt');
  const urlOf = (sslmode = 'verify-full', host = HOST) =>
    `postgresql://app:${password}@${host}:${port}/app?sslmode=${sslmode}&sslrootcert=${certificate()}` +
    `&hostaddr=${computer.machine}&connect_timeout=5`;
  const psql = (source: string, url = urlOf(), statement = 'SELECT host(inet_client_addr())') =>
    computer.run(['psql', '--no-psqlrc', '-Atc', statement, url], source);
  const [first, second] = [() => computer.addresses[0], () => computer.addresses[1]];

  it('is closed until its owner opens it with the command', async () => {
    expect(await access()).toMatchObject({ enabled: false, host: null, port: null, unavailable_reason: null });
    const given = ['databases', 'external-access', 'orders'];
    expect((await runner.run([...given, '--allow', `${first()}/29`])).err).toContain('is an address in one: write ');
    const opened = await runner.run([...given, '--allow', first(), '--json']);
    expect([opened.code, opened.err]).toEqual([0, '']);
    expect(opened.json()).toEqual(await access());
    expect(await access()).toEqual({
      ...{ enabled: true, allowed_cidrs: [`${first()}/32`], open_to_everyone: false, unavailable_reason: null },
      ...{ host: HOST, port: expect.any(Number) },
    });
    ({ port } = (await access()) as { port: number });
  }, 60_000);

  it('is used from an allowed address with a verified certificate, and from no other', async () => {
    writeFileSync(certificate(), (await runner.run(['databases', 'certificate', 'orders'])).out);
    expect(await psql(first())).toBe(first());
    await expect(psql(second())).rejects.toThrow(REFUSED);
    await expect(psql(first(), urlOf('disable'))).rejects.toThrow(/no pg_hba.conf entry .* no encryption/);
    await expect(psql(first(), urlOf('verify-full', 'other.example.com'))).rejects.toThrow(/does not match host name/);
    await expect(psql(first(), urlOf().replace(password, 'wrong'))).rejects.toThrow(/password authentication failed/);
  }, 60_000);

  it('has a complete URL for clients outside after its password was replaced', async () => {
    const { body } = await platform.world.callDashboardApi('POST', `${path}/rotate`);
    const url = new URL(String(body['external_connection_url']));
    expect([url.hostname, Number(url.port), url.search]).toEqual([HOST, port, '?sslmode=verify-full']);
    ({ password } = url);
    expect(await psql(first())).toBe(first());
  }, 60_000);

  it('follows a change of the list at once, also for open connections, and stays open when the agent restarts', async () => {
    const asleep = psql(first(), urlOf(), 'SELECT pg_sleep(120)').then(
      () => 'finished',
      (error: Error) => error.message,
    );
    const isAsleep = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
    await waitFor(async () => (await psql(first(), urlOf(), isAsleep)) === '1');
    const changed = await platform.writer.call('PATCH', path, { external_access: { allowed_cidrs: [second()] } });
    expect(changed).toMatchObject({ status: 200, body: { external_access: { allowed_cidrs: [`${second()}/32`] } } });
    expect(await asleep).toMatch(/terminat|closed|reset/);
    await expect(psql(first())).rejects.toThrow(REFUSED);
    expect(await psql(second())).toBe(second());

    const { postern } = platform.world;
    const agent = postern.processes()['runtime-agent'] as number;
    process.kill(agent, 'SIGKILL');
    expect(await psql(second())).toBe(second());
    await waitFor(async () => ![agent, undefined].includes(postern.processes()['runtime-agent']));
    await waitFor(async () => (await platform.reader.get(path)).status === 200, { timeoutMs: 30_000 });
    expect(await psql(second())).toBe(second());
    await expect(psql(first())).rejects.toThrow(REFUSED);
  }, 120_000);

  it('is closed again by its owner, who keeps the list', async () => {
    const closed = await runner.run(['databases', 'external-access', 'orders', '--close']);
    expect([closed.code, closed.out.trim()]).toEqual([0, 'Nobody outside of the platform can connect.']);
    expect(await access()).toMatchObject({ enabled: false, allowed_cidrs: [`${second()}/32`], host: null, port: null });
    await expect(psql(second())).rejects.toThrow(REFUSED);
  }, 60_000);
});
