import { existsSync } from 'node:fs';
import { readIfExists, writeDurably } from '../machine/files.js';
import { run } from '../machine/run.js';
import { PLACES } from '../rendering/places.js';

/**
 * The key of databases, disks and WAL in backups. The server keeps it, to restore a backup for its proof; backups have it among
 * the secrets, which only the recovery key decrypts.
 */
export const BACKUP_KEY = `${PLACES.secrets}/backup-key`;

/** Creates the key of backups if there is none, and writes its public half for PostgreSQL. */
export const prepareBackupKey = async (): Promise<void> => {
  if (!existsSync(BACKUP_KEY)) writeDurably(BACKUP_KEY, await run('age-keygen', []), 0o400);
  const recipient = await run('age-keygen', ['-y', BACKUP_KEY]);
  if (readIfExists(PLACES.backupRecipient) !== recipient) writeDurably(PLACES.backupRecipient, recipient);
};
