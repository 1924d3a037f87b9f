import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from '@postern/messaging';

const TICK_MS = 1_000;

/** Cells of the shared memory: ticks of the event loop, and whether a debugger is attached. */
const TICKS = 0;
const DEBUGGED = 1;

/**
 * Runs as text in its own thread, so it cannot reference anything else in this file. It counts its own ticks since the
 * last tick of the event loop, not time: neither ticks while the machine is suspended.
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
      // The log has no reader; the process ends nevertheless.
    }
    process.kill(process.pid, 'SIGKILL');
  }, tickMs);
};

/**
 * Ends the process with SIGKILL after its event loop was blocked for `limitS` seconds, measured by the watching thread,
 * so that its supervisor restarts it.
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
  worker.on('error', error => log.error({ err: error }, 'The watchdog of the event loop failed'));
  worker.unref();
};
