import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipe } from '../machine/pipe.js';
import { BACKUP_KEY } from '../operations/backup-key.js';
import { PLACES } from '../rendering/places.js';

/** Packs files of a folder, encrypted, with the sparse files of disks kept sparse. Names that do not exist are left out. */
export const pack = async (from: string, names: readonly string[], backup: string, archive: string): Promise<void> => {
  const present = names.filter(name => existsSync(join(from, name)));
  const list = present.length > 0 ? present : ['--files-from=/dev/null'];
  await pipe(
    'recipients=$1 archive=$2 from=$3; shift 3; tar --create --sparse --zstd --numeric-owner --warning=no-file-changed -C "$from" "$@" | age --recipients-file "$recipients" --output "$archive"',
    PLACES.backupRecipient,
    join(backup, `${archive}.tar.zst.age`),
    from,
    ...list,
  );
};

/** Whether a backup has an archive. */
export const hasArchive = (backup: string, archive: string): boolean =>
  existsSync(join(backup, `${archive}.tar.zst.age`)) || existsSync(join(backup, `${archive}.tar.zst`));

/** Unpacks an archive of a backup into a folder. The key of backups must be there, except for the first format. */
export const unpack = async (
  backup: string,
  archive: string,
  target: string,
  options: readonly string[] = [],
): Promise<void> => {
  const [encrypted, plain] = [join(backup, `${archive}.tar.zst.age`), join(backup, `${archive}.tar.zst`)];
  const extract = 'tar --extract --zstd --numeric-owner --sparse -C "$target" "$@"';
  const script = existsSync(encrypted)
    ? `age --decrypt --identity "$key" "$file" | ${extract}`
    : `${extract} --file "$file"`;
  const file = existsSync(encrypted) ? encrypted : plain;
  await pipe(`key=$1 file=$2 target=$3; shift 3; ${script}`, BACKUP_KEY, file, target, ...options);
};
