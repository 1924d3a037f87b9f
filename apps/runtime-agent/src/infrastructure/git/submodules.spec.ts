import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { credentialsForSubmodule, isInnerPath, OTHER_ADDRESS, submoduleAddress, submodulesIn } from './submodules.js';

describe('The submodules of a repository', () => {
  it('are the sections that have a path and an address', () => {
    const listing = [
      'submodule.a.path\nlib/a',
      'submodule.a.url\nhttps://example.org/a',
      'submodule.half.path\nlib/b',
      'submodule.with.dots.url\n../c',
      'submodule.with.dots.path\nc',
      'submodule.a.update\n!id',
    ];
    expect(submodulesIn(`${listing.join('\0')}\0`)).toEqual([
      { path: 'lib/a', url: 'https://example.org/a' },
      { path: 'c', url: '../c' },
    ]);
  });

  it.each(['a', 'themes/plain', '.github/x', 'a b', 'gitlab'])('may be at %s', path =>
    expect(isInnerPath(path)).toBe(true),
  );

  it.each([
    '',
    '/etc',
    '../x',
    'a/../../x',
    'a//b',
    './a',
    '-u',
    'a/--upload-pack=id',
    '.git',
    '.git/hooks',
    'a/.GIT/hooks',
    '.git.',
    '.git ',
    'GIT~1/hooks',
    'a\\..\\..\\b',
    'c:a',
    'a\nb',
    'a\0b',
  ])('are not at %j', path => expect(isInnerPath(path)).toBe(false));
});

describe('The address of a submodule', () => {
  it.each([
    ['https://git.example.com/ada/shop.git', '../theme', 'https://git.example.com/ada/theme'],
    ['https://git.example.com/ada/shop.git/', '../../bob/theme.git', 'https://git.example.com/bob/theme.git'],
    ['https://git.example.com/ada/shop', './theme', 'https://git.example.com/ada/shop/theme'],
    ['ssh://git@git.example.com:2222/ada/shop', '../theme', 'ssh://git@git.example.com:2222/ada/theme'],
    ['git@git.example.com:ada/shop.git', '../theme.git', 'git@git.example.com:ada/theme.git'],
    ['git@git.example.com:shop.git', '../theme.git', 'git@git.example.com:theme.git'],
    ['https://a.example/b', 'https://c.example/d', 'https://c.example/d'],
    ['https://a.example/b', 'git@c.example:d/e', 'git@c.example:d/e'],
  ])('from %s by %s is %s', (repository, url, address) =>
    expect(submoduleAddress(repository, url)).toEqual({ url: address }),
  );

  it.each([
    ['../../../x', 'its address leads above the host of the repository'],
    ['../..', 'its address leads above the host of the repository'],
    ['file:///etc', OTHER_ADDRESS],
    ['FILE:///etc', OTHER_ADDRESS],
    ['/srv/x', OTHER_ADDRESS],
    ['x', OTHER_ADDRESS],
    ['ext::sh -c id', 'its address is not valid'],
    ['ext::id', OTHER_ADDRESS],
    ['git://a.example/b', OTHER_ADDRESS],
    ['--upload-pack=id', OTHER_ADDRESS],
    ['-u:x', OTHER_ADDRESS],
    ['https://a.example/b\nhost=c.example', 'its address is not valid'],
    ['git@c.example::x', OTHER_ADDRESS],
  ])('is none for %j', (url, refusal) =>
    expect(submoduleAddress('https://git.example.com/ada/shop', url)).toEqual({ refusal }),
  );

  it('relative to a repository is always on the same server', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', '', 'a', '@b', 'c.example', ':x')), names => {
        const found = submoduleAddress('https://git.example.com/ada/shop', `../${names.join('/')}`);
        if ('url' in found) expect(new URL(found.url).origin).toBe('https://git.example.com');
      }),
    ));
});

describe('The credentials of a repository', () => {
  const credentials = { https: { username: 'ada', token: 'x' } };

  it.each([
    ['https://git.example.com/theme', 'https://GIT.example.com:443/shop', true],
    ['git@git.example.com:theme', 'ssh://git@git.example.com/shop', true],
    ['https://git.example.com:8443/theme', 'https://git.example.com/shop', false],
    ['http://git.example.com/theme', 'https://git.example.com/shop', false],
    ['https://git.example.com.evil.example/theme', 'https://git.example.com/shop', false],
    ['https://git.example.com@evil.example/theme', 'https://git.example.com/shop', false],
    ['git@git.example.com:theme', 'https://git.example.com/shop', false],
  ])('go to %s, if the repository is %s: %s', (url, repository, isGiven) =>
    expect(credentialsForSubmodule(url, repository, credentials)).toEqual(isGiven ? credentials : {}),
  );
});
