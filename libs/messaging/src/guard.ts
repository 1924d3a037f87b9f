import { instruments } from './instruments.js';
import type { Log } from './log.js';

/**
 * Wraps `callback`: an error is logged and counted, not thrown. An exception that reaches the NATS client ends its
 * reader without a log line and with the connection still open.
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

/** Runs `work` without waiting for it; its failure is logged and counted. */
export const runDetached = (log: Log, where: string, work: () => Promise<unknown>): void => {
  try {
    work().catch((error: unknown) => reportCallbackError(log, where, error));
  } catch (error) {
    reportCallbackError(log, where, error);
  }
};

/** Logs and counts an error that no caller receives. */
export const reportCallbackError = (log: Log, where: string, error: unknown): void => {
  try {
    instruments().callbackErrors.add(1, { where });
    log.error({ err: error, where }, 'A callback failed');
  } catch {
    // A failing log or meter must not throw either.
  }
};
