import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from '@postern/messaging';

const TICK_MS = 1_000;

/** Cells of the shared memory: how often the event loop has ticked, and whether a debugger may hold it. */
const TICKS = 0;
const DEBUGGED = 1;

/**
 * Runs in a thread of its own, as text: it can use nothing of this file. It counts its own ticks since the event loop
 * last ticked, never the time: while the machine is suspended or the process stopped neither of them ticks.
 */
const watch = () => {
  const { workerData } = process.getBuiltinModule('node:worker_threads');
  const { writeSync } = process.getBuiltinModule('node:fs');
  const { memory, tickMs, limit, service } = workerData;
  const cells = new Int32Array(memory);
  let seen = -1;
  let missed = 0;
  setInterval(() => {
    const ticks = Atomics.load(cells, 0);
    const debugged = Atomics.load(cells, 1) === 1;
    missed = ticks === seen && !debugged ? missed + 1 : 0;
    seen = ticks;
    if (missed < limit) return;
    const msg = `The event loop has not turned for ${missed} s; the process ends`;
    try {
      writeSync(1, `${JSON.stringify({ level: 'error', time: new Date(), service, msg })}\n`);
    } catch {
      // Nobody reads the log; the process ends all the same.
    }
    process.kill(process.pid, 'SIGKILL');
  }, tickMs);
};

/**
 * Ends the process with SIGKILL when its event loop has not turned for `limitS` seconds of the watching thread: nothing
 * inside it can do anything about that any more, and its supervisor starts the next one.
 */
export const watchEventLoop = (service: string, limitS: number, log: Log): void => {
  const memory = new SharedArrayBuffer(8);
  const cells = new Int32Array(memory);
  const tick = () => {
    Atomics.add(cells, TICKS, 1);
    Atomics.store(cells, DEBUGGED, inspector.url() === undefined ? 0 : 1);
  };
  tick();
  setInterval(tick, TICK_MS / 2).unref();
  const worker = new Worker(`(${watch.toString()})()`, {
    eval: true,
    name: 'loop-watchdog',
    workerData: { memory, tickMs: TICK_MS, limit: limitS, service },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  worker.on('error', error => log.error({ err: error }, 'Nothing watches the event loop any more'));
  worker.unref();
};
