import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

/** The table rows of a chapter, without headers. */
const rowsOf = (chapter: string): string[][] =>
  (page.split(`## ${chapter}\n`)[1]?.split(/^## /m)[0] ?? '')
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| ---'))
    .slice(1)
    .map(line => line.split(/ +\| ?|^\| /).filter(cell => cell !== ''));

const specsIn = (text: string): string[] =>
  [...text.matchAll(/\]\(\.\.\/([^)]+\.(?:spec\.ts|test\.mjs))\)/g)].map(([, path = '']) => path);

describe('docs/security.md', () => {
  it.each(rowsOf('ASVS 5.0, level 2'))('%s is %s', (_group, state, ...rest) => {
    const specs = specsIn(rest.join(' '));
    expect(['met', 'partly', 'not met']).toContain(state);
    expect(specs.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
    if (state === 'not met') expect(rest.join('').length).toBeGreaterThan(10);
    else expect(specs.length).toBeGreaterThan(0);
  });

  it.each(rowsOf('Attacks and defences'))('the attacker who wants to %s: every test exists', (_attack, ...cells) => {
    const specs = specsIn(cells.join(' '));
    expect(specs).not.toEqual([]);
    expect(specs.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(rowsOf('Boundaries'))('the boundary %s has a test that exists', (...cells) => {
    const specs = specsIn(cells.join(' '));
    expect(specs.filter(path => existsSync(join(ROOT, path)))).not.toEqual([]);
  });
});
