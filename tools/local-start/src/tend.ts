/** A server that we started and that may be killed at any moment. */
interface Restartable {
  exited(): Promise<void>;
  restart(): Promise<void>;
}

const PAUSE_MS = 500;

/**
 * Starts a server again whenever it ends.
 * @returns what ends the care; to be called before the server is stopped on purpose.
 */
export const tend = (server: Restartable): (() => Promise<void>) => {
  let tended = true;
  let restarting: Promise<void> = Promise.resolve();
  const watch = async (): Promise<void> => {
    while (tended) {
      await server.exited();
      if (!tended) return;
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
      if (!tended) return;
      restarting = server.restart().catch(() => undefined);
      await restarting;
    }
  };
  void watch();
  return () => {
    tended = false;
    return restarting;
  };
};
