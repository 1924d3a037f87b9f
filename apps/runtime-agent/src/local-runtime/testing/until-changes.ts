import { watch } from 'node:fs';
import type { Order } from './owner-main.js';
import type { PlatformProcess } from './platform-process.js';

/**
 * Gives an order and waits until `count` changes of files in the home were seen, or until the order is done, so that a kill
 * meets each step of it. What instances write to their disks does not count.
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
  // Folders vanish while it begins to watch them.
  watcher.on('error', () => undefined);
  await Promise.race([changed.promise, platform.order(order)]);
  watcher.close();
};
