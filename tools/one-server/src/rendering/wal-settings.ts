import { walFolderOf } from '../backups/wal-archive.js';
import type { Model } from './model.js';
import { NODE, PLACES } from './places.js';

/** A command line of PostgreSQL that archives or fetches a WAL file. */
export const walCommand = (action: 'archive' | 'fetch', ...args: readonly string[]): string =>
  [NODE, `${PLACES.release}/tools/one-server/dist/backups/wal-command.js`, action, ...args].join(' ');

/** Lines of postgresql.conf. A segment is archived when it is full, or after a minute if anything was written. */
export const archiveSettings = ({ configuration, machine }: Model): readonly string[] => {
  const archive = walFolderOf(configuration.backup.to);
  const command = walCommand('archive', machine.postgresBin, archive, PLACES.backupRecipient, '"%p"', '"%f"');
  return ['archive_mode = on', 'archive_timeout = 60s', `archive_command = '${command}'`];
};
