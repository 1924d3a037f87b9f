import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const READY_WITHIN_MS = 30_000;

/** One built service of Postern as a separate process. */
export interface ServiceProcess {
  readonly pid: number;
  /** Freezes the process, so that a backlog can grow. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** @throws with the last log lines if it is not ready in time. */
export const startServiceProcess = async (
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> => {
  const entry = join(import.meta.dirname, '../../../apps', name, 'dist/main.js');
  if (!existsSync(entry)) throw new Error(`${name} is not built`);
  const child = spawn(process.execPath, [entry], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      POSTERN_EXIT_WITH_PARENT: 'true',
      POSTERN_HTTP_PORT: '0',
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let logged = '';
  child.stderr.on('data', chunk => {
    logged = (logged + chunk).slice(-4_000);
  });
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const service = {
    pid: child.pid as number,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(hard);
    },
  };
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<boolean>(resolve => {
    lines.on('line', line => {
      if (line.startsWith('{"ready":true')) resolve(true);
      else logged = (logged + line + '\n').slice(-4_000);
    });
    void exited.then(() => resolve(false));
    setTimeout(() => resolve(false), READY_WITHIN_MS).unref();
  });
  if (await ready) return service;
  await service.stop();
  throw new Error(`${name} did not become ready:\n${logged}`);
};
