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

const links = (text: string): readonly string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].flatMap(([, target = '']) =>
    /^[a-z]+:/.test(target) ? [] : [target],
  );

describe('A document names only existing files:', () => {
  it.each(markdownBelow('.'))('%s', path => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const missing = [
      ...(path === QUOTES_OTHERS ? [] : namedFiles(text)).filter(
        named => !['', dirname(path)].some(from => existsSync(join(ROOT, from, named))),
      ),
      ...links(text).filter(target => !existsSync(join(ROOT, dirname(path), target))),
    ];
    expect(missing).toEqual([]);
  });

  it('decision 17 lists the handwritten controllers', () => {
    const decision = 'docs/decisions/0017-routes-from-contracts.md';
    const listed = links(readFileSync(join(ROOT, decision), 'utf8')).map(target => join(dirname(decision), target));
    const gateway = 'apps/api-gateway/src';
    const written = readdirSync(join(ROOT, gateway), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.controller.ts'))
      .map(path => join(gateway, path));
    expect(listed.filter(path => path.endsWith('.controller.ts')).sort()).toEqual(written.sort());
  });

  it('a program and a file of a command, and a link are found', () => {
    expect(namedFiles('`node tools/a.mjs`, helm x -f k8s/b.yaml, node apps/c/dist/main.js')).toEqual([
      'tools/a.mjs',
      'k8s/b.yaml',
      'apps/c/src/main.ts',
    ]);
    expect(links('see [a](b.md#c), [d](https://e.example) and [f](../g)')).toEqual(['b.md', '../g']);
  });
});
