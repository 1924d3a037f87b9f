import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';

/** A lock that was not refreshed for this time belongs to a killed process. */
const STALE_MS = 30_000;
const RETRY_MS = 250;
/** The maximum wait: a build with Go takes minutes on a small machine. */
const PATIENCE_MS = 15 * 60_000;

/** Installs a program in `folder` unless it exists. Of all concurrent processes one installs it, and the others wait. */
export async function installOnce<T>(
  folder: string,
  name: string,
  { find, install }: { find: () => Promise<T | undefined>; install: () => Promise<T> },
): Promise<T> {
  const found = await find();
  if (found !== undefined) return found;
  await mkdir(folder, { recursive: true });
  // A process has one lock per path, so every program has a separate path; the path need not exist.
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
