import { setTimeout as after } from 'node:timers/promises';
import type { RunningPostern } from '@postern/local-start';
import { type Cleanup, waitFor } from '@postern/testing';
import { ageMsOf, cpuOf, residentMemoryOf } from './measure/process-usage.js';
import { figure, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import { startWhole } from './postern.js';
import type { PartReport } from './report.js';

const IDLE_S = 60;
const TARGET_MIB = 200;

/** Stops a service, which the local start restarts. @returns milliseconds from its exec to its ready line. */
const restartTimeOf = async (running: RunningPostern, name: string, restarts: { count: number }): Promise<number> => {
  const before = restarts.count;
  const pid = running.processes()[name];
  process.kill(pid as number, 'SIGTERM');
  await waitFor(() => restarts.count > before, { timeoutMs: 60_000, intervalMs: 5, describe: `${name} to restart` });
  return ageMsOf(running.processes()[name] as number);
};

/** `npm run bench -- idle`: memory and CPU without load, and the restart time of each service. */
export const measureIdle = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const seconds = options.quick ? 3 : IDLE_S;
  const restarts = { count: 0 };
  const startedAt = performance.now();
  const running = await startWhole(cleanup, {}, { onRestart: () => restarts.count++ });
  const startS = (performance.now() - startedAt) / 1_000;
  console.error(`▸ idle for ${seconds} s`);
  const pids = running.processes();
  const before = cpuOf(pids);
  await after(seconds * 1_000);
  const used = cpuOf(pids);
  const idle = Object.entries(pids).map(([name, pid]) => ({
    name,
    residentMib: residentMemoryOf(pid),
    cpuPercent: ((used[name] ?? 0) - (before[name] ?? 0)) / (seconds * 10),
  }));
  const restartMs: Record<string, number> = {};
  for (const name of running.services.keys()) {
    console.error(`▸ restarting ${name}`);
    restartMs[name] = await restartTimeOf(running, name, restarts);
  }
  return {
    text: [
      table(
        ['', 'resident MiB', 'CPU %', 'start ms'],
        idle.map(({ name, residentMib, cpuPercent }) => {
          const start = restartMs[name];
          return [name, figure(residentMib), figure(cpuPercent, 1), start === undefined ? '–' : figure(start)];
        }),
      ),
      `after ${seconds} s without load; target: at most ${TARGET_MIB} MiB per service\n` +
        `first start without the build: ${figure(startS, 1)} s; "start ms" is a restart on existing data`,
    ].join('\n\n'),
    figures: { idle_seconds: seconds, processes: idle, restart_ms: restartMs, whole_start_s: startS },
  };
};
