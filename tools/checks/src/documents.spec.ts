import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const NOT_OURS = new Set(['node_modules', 'dist', 'generated', 'coverage']);

/** Quotes build logs of other repositories, whose commands name files of these repositories. */
const QUOTES_OTHERS = 'docs/sample-applications.md';

const markdownBelow = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) || entry.name.startsWith('.') ? [] : markdownBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

/** Programs and files in commands; a path in dist stands for its source. */
const namedFiles = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\bnode|\s-f|\s--values) ((?:[\w.-]+\/)+[\w.-]+\.(?:m?js|ya?ml))\b/g)].map(([, path = '']) =>
    /(^|\/)dist\//.test(path) ? path.replace(/(^|\/)dist\//, '$1src/').replace(/\.js$/, '.ts') : path,
  );

/** The records of decisions, which a maintainer reads in a minute each. */
const decisions = () => markdownBelow('docs/decisions');

/** The number of words of a text; the lines and empty cells of tables are none. */
const lengthOf = (text: string): number => text.match(/[^\s|-]+/g)?.length ?? 0;

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

interface Link {
  /** Empty for the document itself. */
  readonly file: string;
  readonly anchor: string | undefined;
}

const links = (text: string): readonly Link[] =>
  [...withoutCode(text).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)].flatMap(([, file = '', anchor]) =>
    /^[a-z]+:/.test(file) ? [] : [{ file, anchor }],
  );

/** The anchors of the headings, as GitHub forms them. */
const anchors = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );

const isBroken =
  (path: string) =>
  ({ file, anchor }: Link): boolean => {
    const target = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchors(readFileSync(target, 'utf8')).includes(anchor);
  };

describe('A document names only existing files and headings:', () => {
  it.each(markdownBelow('.'))('%s', path => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const missing = [
      ...(path === QUOTES_OTHERS ? [] : namedFiles(text)).filter(
        named => !['', dirname(path)].some(from => existsSync(join(ROOT, from, named))),
      ),
      ...links(text).filter(isBroken(path)),
    ];
    expect(missing).toEqual([]);
  });

  it('The README of the gateway lists the handwritten controllers', () => {
    const readme = 'apps/api-gateway/README.md';
    const listed = links(readFileSync(join(ROOT, readme), 'utf8')).map(({ file }) => join(dirname(readme), file));
    const gateway = 'apps/api-gateway/src';
    const written = readdirSync(join(ROOT, gateway), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.controller.ts'))
      .map(path => join(gateway, path));
    expect(listed.filter(path => path.endsWith('.controller.ts')).sort()).toEqual(written.sort());
  });

  it.each(decisions())('%s has at most 500 words', path => {
    expect(lengthOf(readFileSync(join(ROOT, path), 'utf8'))).toBeLessThanOrEqual(500);
  });

  it('a program and a file of a command, a link and an anchor are found', () => {
    expect(namedFiles('`node tools/a.mjs`, helm x -f k8s/b.yaml, node apps/c/dist/main.js')).toEqual([
      'tools/a.mjs',
      'k8s/b.yaml',
      'apps/c/src/main.ts',
    ]);
    expect(links('see [a](b.md#c), [d](https://e.example) and [f](../g)')).toEqual([
      { file: 'b.md', anchor: 'c' },
      { file: '../g', anchor: undefined },
    ]);
    expect(anchors('## The `postern` command, in [short](b.md)\n')).toEqual(['the-postern-command-in-short']);
  });
});
