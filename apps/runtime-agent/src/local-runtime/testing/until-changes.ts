import { watch } from 'node:fs';
import type { Order } from './owner-main.js';
import type { PlatformProcess } from './platform-process.js';

/**
 * Sends an order and waits until `count` file changes in the home were seen, or until the order is done, so that a test
 * can kill the platform at each step. Writes of instances to their disks do not count.
 */
export const beginUntilChanges = async (
  platform: PlatformProcess,
  order: Order,
  { home, count }: { readonly home: string; readonly count: number },
): Promise<void> => {
  const changed = Promise.withResolvers<void>();
  let seen = 0;
  const watcher = watch(home, { recursive: true }, (_, path) => {
    if (path?.startsWith('disks')) return;
    seen += 1;
    if (seen >= count) changed.resolve();
  });
  // Folders may be deleted while the watcher is being set up.
  watcher.on('error', () => undefined);
  await Promise.race([changed.promise, platform.order(order)]);
  watcher.close();
};
