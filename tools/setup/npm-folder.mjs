import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** The package of npm on this machine: the last npm on PATH is the one of Node.js, not of a wrapper. */
export const npmFolder = () => {
  const [npm] = execFileSync('which', ['-a', 'npm'], { encoding: 'utf8' }).trim().split('\n').reverse();
  if (!npm) throw new Error('There is no npm on PATH');
  return dirname(dirname(realpathSync(npm)));
};
