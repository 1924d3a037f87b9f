import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';

/** A lock without a sign of life for this long is that of a process that was killed. */
const STALE_MS = 30_000;
const RETRY_MS = 250;
/** A build with Go takes minutes on a small machine. */
const PATIENCE_MS = 15 * 60_000;

/**
 * Installs a program in `folder` unless it is there. Of all processes that need it at the same time one installs it, and the
 * others wait.
 */
export async function installOnce<T>(
  folder: string,
  name: string,
  { find, install }: { find: () => Promise<T | undefined>; install: () => Promise<T> },
): Promise<T> {
  const found = await find();
  if (found !== undefined) return found;
  await mkdir(folder, { recursive: true });
  // A process holds one lock for each path, so every program has one of its own; nothing needs to exist there.
  const release = await lock(join(folder, name), {
    realpath: false,
    lockfilePath: join(folder, `.installing-${name}`),
    stale: STALE_MS,
    retries: { retries: PATIENCE_MS / RETRY_MS, factor: 1, minTimeout: RETRY_MS, maxTimeout: RETRY_MS },
  });
  try {
    return (await find()) ?? (await install());
  } finally {
    await release();
  }
}
