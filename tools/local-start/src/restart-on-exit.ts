/** A server process that can end at any time. */
interface Restartable {
  exited(): Promise<void>;
  restart(): Promise<void>;
}

const PAUSE_MS = 500;

/**
 * Restarts a server whenever it ends.
 * @returns a function that stops this; call it before stopping the server on purpose.
 */
export const restartOnExit = (server: Restartable): (() => Promise<void>) => {
  let watching = true;
  let restarting: Promise<void> = Promise.resolve();
  const watch = async (): Promise<void> => {
    while (watching) {
      await server.exited();
      if (!watching) return;
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
      if (!watching) return;
      restarting = server.restart().catch(() => undefined);
      await restarting;
    }
  };
  void watch();
  return () => {
    watching = false;
    return restarting;
  };
};
