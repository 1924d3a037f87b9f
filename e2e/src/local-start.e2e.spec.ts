import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';

const PROGRAM = join(import.meta.dirname, '../../tools/local-start/dist/main.js');
const START_WITHIN_MS = 150_000;

let folder: string;
let starter: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-local-start-'));
});
afterEach(async () => {
  if (starter && starter.exitCode === null) {
    starter.kill('SIGTERM');
    await once(starter, 'exit');
  }
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

/** Starts everything with a home inside the folder. @returns the output, once the start is complete. */
const start = async (home: string, environment: Record<string, string> = {}): Promise<string> => {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      ...process.env,
      POSTERN_HOME: home,
      POSTERN_PORT: '0',
      POSTERN_OPEN_FOLDER: join(folder, 'open'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  starter = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the start ended with ${child.exitCode}:\n${output}`);
      return output.includes('Ctrl-C stops everything');
    },
    { timeoutMs: START_WITHIN_MS, intervalMs: 200, describe: 'the start to be done' },
  );
  return output;
};

const readyFileOf = (home: string) => JSON.parse(readFileSync(join(home, 'ready.json'), 'utf8'));

it(
  'a failed demo is a warning: everything runs, and ready.json has the addresses',
  async () => {
    chmodSync(folder, 0o755);
    const home = join(folder, 'home');
    const output = await start(home, { POSTERN_SIMULATOR_KEEP_MESSAGES: '0' });

    expect(output).toContain('! The demo could not prepare the demo workspace: no code reached the mailbox');
    expect(output).toContain('Postern itself runs.');
    const { base_url, email, platform, processes, metrics, metrics_token } = readyFileOf(home);
    expect([email, platform]).toEqual([null, null]);
    expect((await fetch(`${base_url}/openapi.json`)).status).toBe(200);
    expect(Object.keys(processes)).toEqual(expect.arrayContaining(['api-gateway', 'email-send', 'nats', 'postgres']));
    expect(Object.keys(metrics)).toContain('api-gateway');
    const headers = { authorization: `Bearer ${metrics_token}` };
    for (const url of Object.values(metrics))
      expect(await (await fetch(String(url), { headers })).text()).toContain('# TYPE');
  },
  START_WITHIN_MS + 30_000,
);

it(
  'a home that other users cannot enter serves mail and web services',
  async () => {
    chmodSync(folder, 0o711);
    const closed = join(folder, 'cløsed by its owner');
    const home = join(closed, 'home');
    mkdirSync(closed, { mode: 0o700 });

    expect(await start(home)).toMatch(/A web service was built from .* and runs at (\S+)/);
    expect(readyFileOf(home).email.production.api_key).toMatch(/^em_live_/);
  },
  START_WITHIN_MS + 30_000,
);
