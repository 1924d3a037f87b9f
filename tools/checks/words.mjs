/** `node tools/checks/words.mjs [folder or file …]`: prints each use of a banned word. */
import { join } from 'node:path';
import { bannedWordsIn, WRITTEN_FILES } from './dist/banned-words.js';
import { readTexts } from './dist/source-tree.js';

const wanted = process.argv.slice(2).map(path => path.replace(/^\.\//, ''));
const texts = readTexts(join(import.meta.dirname, '../..'), ['.'], WRITTEN_FILES);
const found = bannedWordsIn(
  texts.filter(({ path }) => wanted.length === 0 || wanted.some(part => path.startsWith(part))),
);
for (const line of found) console.log(line);
console.log(`${found.length} uses of banned words`);
