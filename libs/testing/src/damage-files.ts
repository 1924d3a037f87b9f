import { closeSync, openSync, readdirSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A way in which a disk loses data. */
export type Damage = 'flip' | 'truncate';

const FLIPPED_BYTES = 3;
/** The rest of a file after a power loss that kept its beginning. */
const KEPT_SHARE = 0.6;

/** The files with content below a folder. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(path => statSync(path).size > FLIPPED_BYTES);

/** Inverts three bytes in the middle of a file, in place, or cuts off its end. */
const damageFile = (path: string, damage: Damage): void => {
  const { size } = statSync(path);
  if (damage === 'truncate') {
    truncateSync(path, Math.floor(size * KEPT_SHARE));
    return;
  }
  const file = openSync(path, 'r+');
  try {
    const middle = Math.floor((size - FLIPPED_BYTES) / 2);
    const bytes = Buffer.alloc(FLIPPED_BYTES);
    readSync(file, bytes, 0, FLIPPED_BYTES, middle);
    writeSync(
      file,
      bytes.map(byte => byte ^ 0xff),
      0,
      FLIPPED_BYTES,
      middle,
    );
  } finally {
    closeSync(file);
  }
};

/** Damages every file with content below a folder. @returns the number of files. */
export const damageFiles = (folder: string, damage: Damage): number => {
  const files = filesBelow(folder);
  for (const file of files) damageFile(file, damage);
  return files.length;
};
