import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { freePort, waitFor } from '@postern/testing';

const ROOT = join(import.meta.dirname, '../../..');
const START_WITHIN_MS = 180_000;
const ENDS_WITHIN_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'postern-starter-death-'));
const home = join(folder, 'a home');
const port = await freePort();

/** All descendants of a process, with their commands. */
const descendantsOf = (root: number): Map<number, string> => {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter(entry => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // The process has ended in the meantime.
    }
  }
  const found = new Map<number, string>();
  const visit = (pid: number) => {
    for (const [child, parent] of parents)
      if (parent === pid && !found.has(child)) {
        found.set(child, commandOf(child));
        visit(child);
      }
  };
  visit(root);
  return found;
};

const commandOf = (pid: number): string => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 120);
    return readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ') ? '' : command;
  } catch {
    return '';
  }
};

const isFree = () =>
  new Promise<boolean>(resolve => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

let npm: ChildProcess | undefined;
let output = '';

/** Runs `npm start` as from a terminal. @returns its processes, after the demo has finished. */
const start = async (): Promise<Map<number, string>> => {
  output = '';
  npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...process.env, POSTERN_HOME: home, POSTERN_PORT: String(port), POSTERN_SKIP_SETUP: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [npm.stdout, npm.stderr]) stream?.on('data', chunk => (output += chunk));
  const child = npm;
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output}`);
      return output.includes('Ctrl-C stops everything');
    },
    { timeoutMs: START_WITHIN_MS, intervalMs: 200, describe: 'npm start to be done' },
  );
  return descendantsOf(npm.pid ?? 0);
};

const everythingHasEnded = (processes: Map<number, string>) =>
  waitFor(
    async () => {
      const left = [...processes].filter(([pid, command]) => command !== '' && commandOf(pid) === command);
      return left.length === 0 && (await isFree());
    },
    { timeoutMs: ENDS_WITHIN_MS, intervalMs: 100, describe: 'every process to end and the port to be free' },
  );

afterEach(() => {
  try {
    if (npm?.pid) process.kill(-npm.pid, 'SIGTERM');
  } catch {
    // The process has already ended.
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isStarter = (command: string) => /start\.mjs|local-start\/dist\/main\.js/.test(command);

describe('the local start whose starter', () => {
  it.each<[string, (processes: Map<number, string>) => void]>([
    [
      'is killed, and npm with it, leaves nothing behind',
      processes => {
        for (const [pid, command] of processes) if (isStarter(command)) process.kill(pid, 'SIGKILL');
        npm?.kill('SIGKILL');
      },
    ],
    ['loses npm leaves nothing behind', () => npm?.kill('SIGKILL')],
    ['loses its terminal leaves nothing behind', () => process.kill(-(npm?.pid ?? 0), 'SIGHUP')],
  ])(
    '%s, and starts again on the same home',
    async (_, kill) => {
      const processes = await start();
      const commands = [...processes.values()].join('\n');
      for (const name of ['api-gateway', 'mail-simulator', 'load-balance', 'postgres', 'nats-server', 'server.js'])
        expect(commands).toContain(name);

      kill(processes);

      await everythingHasEnded(processes);
      await waitFor(() => !existsSync(join(home, 'starter.json')), { describe: 'the guard to be done' });
    },
    START_WITHIN_MS + ENDS_WITHIN_MS,
  );
});
