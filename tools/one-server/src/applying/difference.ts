import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../machine/run.js';
import type { Change } from './changes.js';

/** The difference that a change makes, in the format of `diff -u`. */
export const differenceOf = async ({ path, before, after }: Change): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-'));
  try {
    const [old, next] = [join(folder, 'old'), join(folder, 'new')];
    await Promise.all([writeFile(old, before ?? ''), writeFile(next, after ?? '')]);
    // diff ends with 1 if there are differences, which are then on standard output.
    return await run('sh', [
      '-c',
      'diff -u --label "$1" --label "$2" "$3" "$4" || [ $? = 1 ]',
      'diff',
      before === undefined ? '/dev/null' : path,
      after === undefined ? '/dev/null' : path,
      old,
      next,
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
