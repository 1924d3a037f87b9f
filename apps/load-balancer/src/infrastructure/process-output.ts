import { writeSync } from 'node:fs';
import { type BalancerLog, reasonOf } from './balancer-log.js';

/** Writes synchronously to the descriptor: no line is lost at exit, and a broken pipe does not stop traffic. */
export const writeLine = (line: string): void => {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // The reader of the output has closed it; traffic continues.
  }
};

/** Logs the error and exits. */
export const crash = (log: BalancerLog, message: string) => (error: unknown) => {
  log.error({ ...reasonOf(error), stack: error instanceof Error ? error.stack : undefined }, message);
  process.exit(1);
};

export const crashOnUnhandled = (log: BalancerLog): void => {
  process.on('uncaughtException', crash(log, 'Uncaught exception'));
  process.on('unhandledRejection', crash(log, 'Unhandled promise rejection'));
};
