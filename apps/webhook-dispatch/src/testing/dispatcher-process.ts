import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LEASE_IS_HELD } from '@postern/event-sourcing/postgres';
import { waitFor } from '@postern/testing';
import pg from 'pg';

/** Another replica of webhook-dispatch, as a process that can be killed. */
export interface DispatcherProcess {
  /** Resolves when a second live dispatcher owns so many partitions. */
  untilItServes(partitions: number): Promise<void>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** With SIGTERM; does nothing after the process has ended. */
  stop(): Promise<void>;
}

const LIVE = `
  SELECT count(*)::int AS dispatchers FROM event_store.leases WHERE starts_with(name, 'dispatcher ') AND ${LEASE_IS_HELD}`;

/** The number of dispatchers that hold a lease. */
export const liveDispatchers = async (databaseUrl: string | undefined): Promise<number> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<{ dispatchers: number }>(LIVE)).rows[0]?.dispatchers ?? 0;
  } finally {
    await client.end();
  }
};

const OWNED = `
  SELECT count(*)::int AS partitions FROM dispatch_partitions
  WHERE dispatcher IN (SELECT name FROM event_store.leases WHERE ${LEASE_IS_HELD}) GROUP BY dispatcher`;

export const startDispatcher = async (environment: Readonly<Record<string, string>>): Promise<DispatcherProcess> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/main.js')], {
    env: { ...process.env, ...environment, POSTERN_EXIT_WITH_PARENT: 'true' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on('line', line => lines.push(line));
  const exited = once(child, 'exit');
  await waitFor(async () => child.exitCode !== null || lines.some(line => line.startsWith('{"ready":true')), {
    timeoutMs: 60_000,
    describe: 'the second dispatcher to start',
  });
  if (child.exitCode !== null) throw new Error(`webhook-dispatch ended:\n${lines.join('\n')}`);
  return {
    untilItServes: async partitions => {
      const pool = new pg.Pool({ connectionString: environment['POSTERN_DATABASE_URL'], max: 1 });
      await waitFor(
        async () => {
          const { rows } = await pool.query<{ partitions: number }>(OWNED);
          return rows.length === 2 && rows.every(row => row.partitions === partitions);
        },
        { timeoutMs: 60_000, describe: 'both dispatchers to own partitions' },
      );
      await pool.end();
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await exited;
    },
  };
};
