import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bannedWordsIn, WRITTEN_FILES } from './banned-words.js';
import { VIOLATIONS } from './example-violations.js';
import { tooLongFiles } from './file-length.js';
import { importCycle, RULES, violationsIn } from './rules.js';
import { readSourceTree, readTexts, sourceFile } from './source-tree.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('the codebase', () => {
  const tree = readSourceTree(ROOT, ['apps', 'libs', 'tools', 'e2e']);

  it('complies with every rule', () => expect(violationsIn(tree)).toEqual([]));

  it('has no import cycle', () => expect(importCycle(tree)).toBeUndefined());

  it('uses no banned word', () => {
    const texts = readTexts(ROOT, ['.'], WRITTEN_FILES);
    expect(bannedWordsIn(texts)).toEqual([]);
  });

  it('has no source file of more than 300 lines', () => {
    expect(tooLongFiles(readTexts(ROOT, ['.'], /(?<!\.d)\.([mc]?[jt]s|tsx)$/))).toEqual([]);
  });
});

describe('an example violation is found:', () => {
  it.each(VIOLATIONS.map(example => [`${example.rule}: ${example.at}`, example] as const))('%s', (_, example) => {
    const files = Object.entries({ ...example.beside, [example.at]: example.text });
    const violations = violationsIn(files.map(([path, text]) => sourceFile(path, text)));
    expect(violations).toEqual([expect.stringContaining(`but ${example.rule}`)]);
    expect(violations).toEqual([expect.stringContaining(example.at)]);
  });

  it('exists for every rule', () => {
    const broken = new Set(VIOLATIONS.map(({ rule }) => rule));
    expect(RULES.map(({ name }) => name).filter(name => !broken.has(name))).toEqual([]);
  });

  it('an import cycle', () =>
    expect(
      importCycle([
        sourceFile('libs/mail/src/a.ts', "import { b } from './b.js';"),
        sourceFile('libs/mail/src/b.ts', "export { a } from './a.js';"),
      ]),
    ).toEqual(['libs/mail/src/a', 'libs/mail/src/b', 'libs/mail/src/a']));
});

describe('a banned word is found', () => {
  it.each([
    ['in an identifier', 'x.ts', 'this.letGo();', 'letGo'],
    ['in a comment over two lines', 'x.ts', '/** The other one lets\n * go. */', 'lets * go'],
    ['in prose', 'x.md', 'It lets go of the lock.', 'lets go'],
    ['in a constant', 'x.ts', 'const LET_GO_MS = 1;', 'LET_GO'],
    ['in a string', 'x.ts', "log('the misfits of a release')", 'misfits'],
    ['in a plural', 'x.md', 'one of the lanes', 'lanes'],
    ['in a comment of a chart', 'values.yaml', '# The public door.', 'door'],
    ['in a description', 'package.json', '{"description": "behind one door"}', 'door'],
    ['as a name', 'x.ts', 'const told = await receive();', 'const told'],
    ['as a private member', 'x.ts', 'await this.#look();', '#look'],
    ['in a phrase', 'x.md', 'A file is kept by whoever opens it.', 'whoever'],
  ])('%s', (_, path, text, found) =>
    expect(bannedWordsIn([{ path, text }])).toEqual([expect.stringContaining(`says "${found}"`)]),
  );

  it('in a file name', () =>
    expect(bannedWordsIn([{ path: 'apps/x/src/day-book.ts', text: '' }])).toEqual([
      expect.stringContaining('is named after "day-book"'),
    ]));

  it('and similar ordinary words are not', () => {
    const text =
      'extends planes; outlet gold; flaws; mushrooms; indoors; extendsTo; PLANES; clients may try again; the user is told';
    expect(bannedWordsIn([{ path: 'x.ts', text }])).toEqual([]);
  });
});

describe('a file of more than 300 lines', () => {
  const file = (path: string, lines: number, first = 'const x = 1;') => ({
    path,
    text: `${first}\n${'// another line\n'.repeat(lines - 1)}`,
  });

  it.each(['apps/x/src/x.ts', 'apps/x/src/x.int.spec.ts', 'apps/dashboard/src/x.tsx', 'tools/x/x.mjs'])(
    'is found: %s',
    path =>
      expect(tooLongFiles([file(path, 301), file('y.ts', 300)])).toEqual([
        `${path} has 301 lines, but a file has at most 300: divide it by subject`,
      ]),
  );

  it('may be generated', () =>
    expect(tooLongFiles([file('x.ts', 301, '// Written by `node x.mjs`. Do not edit.')])).toEqual([]));
});
