import { instruments } from './instruments.js';
import type { Log } from './log.js';

/**
 * `callback` behind a boundary that no exception crosses: an error is logged and counted. An exception that reaches
 * the NATS client ends its reader for ever, without a word and with the connection still open.
 */
export const guarded =
  <Args extends unknown[]>(log: Log, where: string, callback: (...args: Args) => void): ((...args: Args) => void) =>
  (...args) => {
    try {
      callback(...args);
    } catch (error) {
      reportCallbackError(log, where, error);
    }
  };

/** Lets `work` run with nobody waiting for it; its failure is logged and counted. */
export const runDetached = (log: Log, where: string, work: () => Promise<unknown>): void => {
  try {
    work().catch((error: unknown) => reportCallbackError(log, where, error));
  } catch (error) {
    reportCallbackError(log, where, error);
  }
};

/** Logs and counts an error that nobody waits for. */
export const reportCallbackError = (log: Log, where: string, error: unknown): void => {
  try {
    instruments().callbackErrors.add(1, { where });
    log.error({ err: error, where }, 'A callback failed');
  } catch {
    // A log or a meter that fails must not do what the error itself may not.
  }
};
