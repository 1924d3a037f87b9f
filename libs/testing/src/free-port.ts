import { mkdir, open, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

// Below the ephemeral range, so that no outgoing connection takes the port before its server binds it.
const lowest = 12_000;
const highest = 32_000;
/** Not `os.tmpdir()`, because concurrent tasks have separate ones. */
const claimsFolder = '/tmp';
const claimLifetimeMs = 120_000;

/**
 * Finds a free TCP port and claims it for two minutes among all processes of this user, so that concurrent test
 * workers get different ports.
 */
export async function freePort(): Promise<number> {
  const port = await findPort(lowest, highest);
  if (port === undefined) throw new Error(`no free port between ${lowest} and ${highest}`);
  return port;
}

/** Without assigned services, and without ports that `fetch` refuses to use. */
const lowestPrivileged = 700;
const highestPrivileged = 988;

/**
 * A free port that only privileged processes can bind, if this process may; otherwise an ordinary free port. A process of another
 * user cannot take it while its server restarts.
 */
export async function privilegedPort(): Promise<number> {
  const port = process.getuid?.() === 0 ? await findPort(lowestPrivileged, highestPrivileged) : undefined;
  return port ?? (await freePort());
}

async function findPort(from: number, to: number): Promise<number | undefined> {
  const claims = join(claimsFolder, `postern-ports-${process.getuid?.() ?? 0}`);
  await mkdir(claims, { recursive: true });
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const port = from + Math.floor(Math.random() * (to - from));
    if ((await claim(join(claims, String(port)))) && (await canListen(port))) return port;
  }
  return undefined;
}

async function claim(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.close();
    return true;
  } catch (error) {
    // Not `instanceof Error`: in Jest, errors of the file system belong to another realm.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    // A stale claim is only removed; the next round claims it with the atomic open above.
    if (age > claimLifetimeMs) await rm(path, { force: true }).catch(() => undefined);
    return false;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '0.0.0.0', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
