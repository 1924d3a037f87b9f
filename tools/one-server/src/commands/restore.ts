import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { manifestOf } from '../backups/backup-folder.js';
import { verifyFiles } from '../backups/prove-backup.js';
import { decryptSecrets, restoreSteps } from '../backups/restore-backup.js';
import { writeDurably } from '../machine/files.js';
import { runSteps } from '../operations/journal.js';
import { withLock } from '../operations/lock.js';
import { PLACES } from '../rendering/places.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

/** The key while a restore runs, on a file system in memory, for `resume` after a kill of the command. */
const KEY_FILE = '/run/postern/recovery-key';
const KEY = /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/;

const keepKey = (given: string): void => {
  const key = given.trim().toUpperCase();
  if (!KEY.test(key)) throw new UsageError('standard input is no recovery key; it begins with AGE-SECRET-KEY-1');
  mkdirSync('/run/postern', { recursive: true, mode: 0o755 });
  writeDurably(KEY_FILE, `${key}\n`, 0o400);
};

const demandKey = async (folder: string): Promise<void> => {
  const scratch = mkdtempSync('/run/postern/key-');
  try {
    await decryptSecrets(folder, KEY_FILE, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

/** `restore <backup>`: replaces everything on this machine, which may be empty, by a backup. The key is on standard input. */
export const restore = (
  folder: string,
  options: { readonly yes: boolean; readonly resumed?: boolean },
  print: Print,
): Promise<void> => {
  if (!isAbsolute(folder))
    throw new UsageError('the backup must be an absolute path, such as one of "postern backup list"');
  if (!options.yes && existsSync(`${PLACES.postgres}/PG_VERSION`))
    throw new UsageError('this replaces the data of this server; if you want that, add --yes');
  return withLock(async () => {
    if (!options.resumed || !existsSync(KEY_FILE)) keepKey(readFileSync(0, 'utf8'));
    if (!options.resumed) {
      await verifyFiles(folder);
      await demandKey(folder);
    }
    await runSteps('restore', { folder, yes: options.yes }, restoreSteps(folder, KEY_FILE, print), print);
    rmSync(KEY_FILE, { force: true });
    print(`Restored the state of ${manifestOf(folder)?.createdAt}.`);
    print(
      'Postern has no record of messages that were sent after this time; their webhooks may have been sent. Run "postern doctor".',
    );
  });
};
