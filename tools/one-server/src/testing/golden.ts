import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../rendering/golden');

/** The text of a golden file. `POSTERN_WRITE_SNAPSHOTS=1` writes it anew. */
export const golden = (path: string, text: string): string => {
  const file = join(FOLDER, path.replaceAll('/', '__').replace(/^__/, ''));
  if (process.env['POSTERN_WRITE_SNAPSHOTS'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return readFileSync(file, 'utf8');
};
