import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ownPlatform } from '../stories.js';
import { attackerCode, type Seen } from './attacker.js';
import { processesWith } from './processes.js';
import { webApp } from './repository.js';

/** Errors of connections out of the network of a web service. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES', 'EPERM'];
const isRoot = process.getuid?.() === 0;

const platform = await ownPlatform();
const { home, postgres, nats } = platform.world.postern;
const { natsPasswords, ...single } = home.secrets();
const credentials = [single, natsPasswords].flatMap(part => Object.values<string>(part));
const source = attackerCode({
  nats: nats.url,
  postgres: postgres.url(),
  home: home.folder,
  dashboard: '/dashboard/api/me',
});
const service = await platform.service(
  { ...webApp('one'), 'attacker.cjs': source },
  { build_command: 'node attacker.cjs', start_command: 'node attacker.cjs && exec node server.js' },
);
await service.deploy();
const lines = (await service.logs('?tail=10000')).map(({ message }) => message);
/** Printed once during the build and once while the service runs. */
const seen = lines.filter(line => line.startsWith('{"nats"')).map(line => JSON.parse(line) as Seen);
if (seen.length !== 2) throw new Error(`the attacker's code printed too little:\n${lines.join('\n')}`);

/** What a process is told about its release; none of it is secret. */
const TOLD = [
  'POSTERN_DEPLOYMENT_ID',
  'POSTERN_GIT_BRANCH',
  'POSTERN_GIT_COMMIT',
  'POSTERN_PUBLIC_URL',
  'POSTERN_SERVICE_ID',
  'POSTERN_SERVICE_NAME',
];

describe('the code of a web service, during its build and at run time', () => {
  it('does not reach NATS, or is refused by it if it shares the network of the machine', () => {
    // NATS closes connections without TLS.
    const expected = isRoot ? ['ECONNREFUSED'] : ['closed', 'ECONNRESET'];
    for (const { nats } of seen) expect(expected).toContain(nats);
  });

  it('cannot connect to the Unix socket of PostgreSQL, if it runs as its own user', () => {
    const answers = seen.flatMap(({ postgres }) => Object.values(postgres));
    // Documented: without separate users, the kernel cannot tell web services from the platform.
    if (isRoot) for (const answer of answers) expect(['EACCES', 'ENOENT']).toContain(answer);
    expect(answers).toHaveLength(4);
  });

  it('needs a session for the dashboard', () => {
    for (const { dashboard } of seen) expect([401, ...UNREACHABLE]).toContain(dashboard);
  });

  it('finds no credential in its own environment or in the arguments of any process', () => {
    for (const { environment } of seen) expect([...environment].sort()).toEqual(TOLD);
    for (const credential of credentials)
      expect(processesWith(credential).filter(({ command }) => command.includes(credential))).toEqual([]);
  });

  it('finds no credential in the environment of other processes or in files, if it runs as its own user', () => {
    const ofOthers = seen.map(({ processes, files }) => ({ processes, files }));
    if (isRoot) expect(ofOthers).toEqual(Array(2).fill({ processes: [], files: [] }));
    // Documented: without separate users, web services can read what the platform can read.
    else expect(ofOthers[1]?.files).toEqual(expect.arrayContaining(['nats.conf', 'secrets.json']));
  });
});

it('Only the owner can read the two files with credentials, and no log contains them', () => {
  const { home } = platform.world.postern;
  const passwords = Object.values(natsPasswords);
  const words = passwords.flatMap(password => ['-e', password]);
  const { stdout } = spawnSync('grep', ['-rlaF', ...words, home.folder], { encoding: 'utf8' });
  const files = stdout.trim().split('\n').sort();
  expect(files).toEqual([home.path('nats.conf'), home.path('secrets.json')]);
  for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
});
