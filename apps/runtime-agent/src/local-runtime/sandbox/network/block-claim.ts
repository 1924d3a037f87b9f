import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AddressBlock,
  addressText,
  BLOCK_BITS,
  blocksIn,
  blockText,
  overlap,
  parseBlock,
} from './address-block.js';
import type { NetworkHost } from './network-host.js';

/** A file for each block in use on this machine, which contains the home of its installation. Gone after a reboot, as networks are. */
export const CLAIMS = '/run/postern/networks';

interface Claim {
  readonly block: AddressBlock;
  readonly home: string;
}

export const claims = async (folder = CLAIMS): Promise<readonly Claim[]> => {
  const names = (await readdir(folder).catch(() => [])).filter(name => !name.startsWith('.'));
  const found = await Promise.all(
    names.map(async name => ({ name, home: await readFile(join(folder, name), 'utf8').catch(() => undefined) })),
  );
  return found.flatMap(({ name, home }) =>
    home === undefined ? [] : [{ block: parseBlock(`${name}/${BLOCK_BITS}`), home }],
  );
};

/** Removes what installations left whose home was deleted: `dismantle` runs once for each, and then its block is free. */
export const clearAbandoned = async (
  dismantle: (block: AddressBlock) => Promise<void>,
  folder = CLAIMS,
): Promise<void> => {
  for (const { block, home } of await claims(folder)) {
    if (existsSync(home)) continue;
    const lock = join(folder, `.dismantled-${addressText(block.first)}`);
    const isMine = await writeFile(lock, '', { flag: 'wx' }).then(
      () => true,
      () => false,
    );
    if (!isMine) continue;
    // Another process may have dismantled it before, and a third one may have claimed it since.
    const still = (await claims(folder)).some(claim => claim.block.first === block.first && claim.home === home);
    if (still) await dismantle(block);
    await rm(lock, { force: true });
  }
};

/**
 * The block of this home: the one that it has, or a free one of the pool. A block that overlaps a route of the machine is not free,
 * because its owner's network may be there.
 * @throws if the pool has no free block.
 */
export const claimBlock = async (
  home: string,
  pool: AddressBlock,
  host: Pick<NetworkHost, 'programs' | 'run' | 'claims'>,
): Promise<AddressBlock> => {
  const folder = host.claims;
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const own = await claimOf(home, pool, folder);
  if (own) return own;
  const blocks = blocksIn(pool);
  if (blocks.length === 0) throw new Error(`the pool ${blockText(pool)} is smaller than a /${BLOCK_BITS}`);
  const routed = await routedBlocks(host);
  const preferred = createHash('sha256').update(home).digest().readUInt32BE() % blocks.length;
  for (let step = 0; step < blocks.length; step += 1) {
    const block = blocks[(preferred + step) % blocks.length]!;
    if (routed.some(other => overlap(block, other))) continue;
    if (await take(block, home, folder)) return block;
    // Another process of this home may have claimed it at the same time.
    const found = await claimOf(home, pool, folder);
    if (found) return found;
  }
  throw new Error(`all networks of the pool ${blockText(pool)} are in use on this machine`);
};

export const releaseClaim = (block: AddressBlock, folder = CLAIMS): Promise<void> =>
  rm(join(folder, addressText(block.first)), { force: true });

const claimOf = async (home: string, pool: AddressBlock, folder: string): Promise<AddressBlock | undefined> =>
  (await claims(folder)).find(claim => claim.home === home && overlap(claim.block, pool))?.block;

/** A link appears with its content, so that no other process reads an empty claim. */
const take = async (block: AddressBlock, home: string, folder: string): Promise<boolean> => {
  const draft = join(folder, `.${randomUUID()}`);
  await writeFile(draft, home, { mode: 0o600 });
  try {
    await link(draft, join(folder, addressText(block.first)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
};

/** The networks to which this machine has a route, except the default routes. */
const routedBlocks = async ({
  programs,
  run,
}: Pick<NetworkHost, 'programs' | 'run'>): Promise<readonly AddressBlock[]> => {
  const routes = JSON.parse(await run(programs.ip, ['-j', '-4', 'route', 'show', 'table', 'all'])) as { dst: string }[];
  return routes.filter(({ dst }) => /^\d/.test(dst)).map(({ dst }) => parseBlock(dst));
};
