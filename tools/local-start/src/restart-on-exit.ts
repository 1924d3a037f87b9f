import { setTimeout as pause } from 'node:timers/promises';
import { holderOfPort } from './port-holder.js';

/** A server process that can end at any time. */
interface Restartable {
  exited(): Promise<void>;
  restart(): Promise<void>;
}

/** How a server is restarted. */
export interface RestartOptions {
  readonly name: string;
  /** Its TCP port; it has none if it listens on a Unix socket. */
  readonly port?: number;
  /** Receives one line for each obstacle. */
  readonly log: (line: string) => void;
}

const PAUSE_MS = 500;

/**
 * Restarts a server whenever it ends, and as often as necessary. While another process has its port, it reports which; clients
 * verify the server, so that process learns nothing from them.
 * @returns a function that stops this; call it before stopping the server on purpose.
 */
export const restartOnExit = (server: Restartable, { name, port, log }: RestartOptions): (() => Promise<void>) => {
  const ended = new AbortController();
  const { signal } = ended;
  let restarting: Promise<void> = Promise.resolve();
  let obstacle: string | undefined;

  const report = (found: string | undefined) => {
    if (found !== undefined && found !== obstacle) log(found);
    obstacle = found;
  };

  const restart = async (): Promise<void> => {
    const holder = port === undefined ? undefined : holderOfPort(port);
    if (holder) {
      report(`${holder} has taken port ${port}: end it; ${name} starts again as soon as the port is free`);
      return;
    }
    const failure = await server.restart().then(
      () => undefined,
      (error: Error) => `${name} could not be restarted, trying again: ${error.message}`,
    );
    report(failure);
  };

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await server.exited();
      await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      restarting = restart();
      await restarting;
    }
  };
  void watch();
  return () => {
    ended.abort();
    return restarting;
  };
};
