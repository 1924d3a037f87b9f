/**
 * What PostgreSQL calls as `archive_command` and `restore_command`; apart from `postern`, because it runs for each WAL file, as
 * the user of PostgreSQL.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipe } from '../machine/pipe.js';
import { systemIdentifier } from '../machine/system-identifier.js';
import { digestOf } from './digest.js';
import { listWal, nameOfWalFile } from './wal-archive.js';

/** PostgreSQL keeps WAL until it is archived. With more than this many files, 1 GiB, it would fill the disk of the databases. */
const MOST_WAITING = 64;
const LEAST_FREE = 0.05;
/** PostgreSQL ends a recovery for this status; for a lower one, it takes the file for the end of the archive. */
const DAMAGED = 255;

const sync = (path: string): void => {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

const store = async (folder: string, path: string, name: string, recipient: string): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const digest = await digestOf(path);
  const stored = listWal(folder).find(file => file.name === name);
  // PostgreSQL repeats a file after a crash.
  if (stored?.digest === digest) return;
  if (stored) throw new Error(`${folder} has another ${name}. Does another server archive to this folder?`);
  const { bavail, blocks } = statfsSync(folder);
  if (bavail / blocks < LEAST_FREE) throw new Error(`less than ${LEAST_FREE * 100} % of the disk of ${folder} is free`);
  // Those of commands that a crash ended.
  for (const left of readdirSync(folder).filter(file => file.endsWith('.incomplete')))
    rmSync(join(folder, left), { force: true });
  const incomplete = join(folder, `${process.pid}.incomplete`);
  await pipe('zstd --quiet --stdout -- "$1" | age --recipients-file "$2" --output "$3"', path, recipient, incomplete);
  sync(incomplete);
  const writtenAt = new Date(Math.floor(statSync(path).mtimeMs / 1_000) * 1_000);
  renameSync(incomplete, join(folder, nameOfWalFile({ name, writtenAt, digest })));
  sync(folder);
};

/** `archive <postgresBin> <archive> <recipients file> <path> <name>`: succeeds when the file is on the disk of the archive. */
const archive = async (args: readonly string[]): Promise<number> => {
  const [postgresBin = '', root = '', recipient = '', path = '', name = ''] = args;
  try {
    // PostgreSQL runs this in its data directory.
    await store(join(root, await systemIdentifier(postgresBin, '.')), path, name, recipient);
    return 0;
  } catch (error) {
    const waiting = readdirSync('pg_wal/archive_status').filter(file => file.endsWith('.ready')).length;
    process.stderr.write(`${name} cannot be archived, ${waiting} files wait: ${(error as Error).message}\n`);
    if (waiting < MOST_WAITING) return 1;
    process.stderr.write(`${name} is dropped. Times after it can be restored from the next backup only.\n`);
    return 0;
  }
};

/** `fetch <identity file> <path> <name> <folder>…`: writes a file of the archive to a path of PostgreSQL. */
const fetch = async (args: readonly string[]): Promise<number> => {
  const [identity = '', path = '', name = '', ...folders] = args;
  for (const folder of folders) {
    const stored = listWal(folder).find(file => file.name === name);
    if (!stored) continue;
    try {
      await pipe(
        'age --decrypt --identity "$1" "$2" | zstd --quiet --decompress --stdout > "$3"',
        identity,
        join(folder, nameOfWalFile(stored)),
        path,
      );
      if ((await digestOf(path)) !== stored.digest) throw new Error('its content is not what was archived');
      return 0;
    } catch (error) {
      process.stderr.write(`${join(folder, nameOfWalFile(stored))} is damaged: ${(error as Error).message}\n`);
      return DAMAGED;
    }
  }
  return 1;
};

const [action, ...args] = process.argv.slice(2);
process.exitCode = await (action === 'archive' ? archive(args) : fetch(args));
