import { writeSync } from 'node:fs';
import { type BalancerLog, reasonOf } from './balancer-log.js';

/** Straight to the descriptor: nothing of it is lost when the process ends, and a broken pipe ends nobody's traffic. */
export const writeLine = (line: string): void => {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // The reader of the output is gone; traffic continues.
  }
};

/** Logs what ends this process, and ends it. */
export const crash = (log: BalancerLog, message: string) => (error: unknown) => {
  log.error({ ...reasonOf(error), stack: error instanceof Error ? error.stack : undefined }, message);
  process.exit(1);
};

export const crashOnUnhandled = (log: BalancerLog): void => {
  process.on('uncaughtException', crash(log, 'Nobody caught this error'));
  process.on('unhandledRejection', crash(log, 'Unhandled promise rejection'));
};
