import { describe, expect, it } from '@jest/globals';
import { matchesPatterns } from './path-patterns.js';

describe('Patterns of paths', () => {
  it.each([
    [['apps/web/**'], 'apps/web/src/a.ts', true],
    [['apps/web/**'], 'apps/website/a.ts', false],
    [['apps/web'], 'apps/web/src/a.ts', true],
    [['apps/web/'], 'apps/web/a.ts', true],
    [['/apps/web'], 'apps/web/a.ts', true],
    [['./apps/web'], 'apps/web/a.ts', true],
    [['apps/web'], 'apps/web', true],
    [['*.md'], 'README.md', true],
    [['*.md'], 'docs/README.md', false],
    [['**/*.md'], 'README.md', true],
    [['**/*.md'], 'docs/a/README.md', true],
    [['**'], 'a/b', true],
    [['apps/*/src/**/x.ts'], 'apps/web/src/x.ts', true],
    [['apps/*/src/**/x.ts'], 'apps/web/src/a/b/x.ts', true],
    [['apps/*/src/**/x.ts'], 'apps/web/lib/x.ts', false],
    [['a?c'], 'abc', true],
    [['a?c'], 'ac', false],
    [['a*b*c'], 'a1b2b3c', true],
    [['a*b*c'], 'a1b2', false],
    [['ünï/**'], 'ünï/ö', true],
    [['[a].ts'], '[a].ts', true],
  ])('%j applied to %s: %s', (patterns, path, matches) => expect(matchesPatterns(patterns, path)).toBe(matches));

  it('that begin with ! exclude paths, and the last one that applies decides', () => {
    const patterns = ['apps/**', '!apps/**/*.md', 'apps/web/CHANGES.md'];
    expect(matchesPatterns(patterns, 'apps/web/a.ts')).toBe(true);
    expect(matchesPatterns(patterns, 'apps/web/README.md')).toBe(false);
    expect(matchesPatterns(patterns, 'apps/web/CHANGES.md')).toBe(true);
    expect(matchesPatterns(['!docs/**'], 'src/a.ts')).toBe(true);
    expect(matchesPatterns(['!docs/**'], 'docs/a.md')).toBe(false);
  });

  it('take a bounded time for every pattern', () => {
    const hostile = ['**/'.repeat(120) + 'x', `${'*a'.repeat(250)}b`];
    for (let call = 0; call < 100; call += 1)
      expect(matchesPatterns(hostile, `${'a/'.repeat(100)}${'a'.repeat(400)}`)).toBe(false);
  });
});
