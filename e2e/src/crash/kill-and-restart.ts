import { waitFor } from '@postern/testing';
import type { PlatformWorld } from '../platform/platform-world.js';

/** Kills a process of Postern with kill -9, and waits until it has been restarted. */
export const killUntilRestarted = async ({ world }: PlatformWorld, name: string): Promise<void> => {
  const pidOf = (): number | undefined => world.postern.processes()[name];
  const killed = pidOf();
  process.kill(killed as number, 'SIGKILL');
  await waitFor(() => pidOf() !== undefined && pidOf() !== killed, {
    timeoutMs: 30_000,
    intervalMs: 20,
    describe: `${name} to be started again`,
  });
};
