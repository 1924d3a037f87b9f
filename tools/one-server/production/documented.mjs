/** The commands of docs/install.md, which the checks run word for word. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(import.meta.dirname, '../../../docs/install.md');

/** The commands of the blocks that are marked with `sh install`, in their order. */
export const documentedCommands = () =>
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/^```sh install\n([\s\S]*?)^```$/gm)].map(([, block]) => block);

/** The packages of the documented apt-get command. */
export const installPackages = () => {
  const [, list = ''] =
    /apt-get install --yes ((?:[\w.+-]+|\\\n|\s)+?)\n(?!\s)/.exec(documentedCommands().join('\n')) ?? [];
  const packages = list.split(/[\s\\]+/).filter(name => name !== '');
  if (packages.length === 0) throw new Error('docs/install.md has no "apt-get install --yes" command');
  return packages;
};
