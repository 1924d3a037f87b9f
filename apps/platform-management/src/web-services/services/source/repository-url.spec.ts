import { describe, expect, it } from '@jest/globals';
import { repositoryUrl } from './repository-url.js';

const read = (text: string, allowFiles = false) => repositoryUrl(text, { allowFiles });
const refused = (reason = '') =>
  expect.objectContaining({
    code: 'invalid_input',
    message: expect.stringMatching(new RegExp(`^git_repository_url: .*${reason}`)),
  });
const refusalOf = (text: string, allowFiles = false): unknown => {
  try {
    return read(text, allowFiles);
  } catch (error) {
    return error;
  }
};

describe('the address of a repository', () => {
  it.each([
    'https://github.com/ada/engine.git',
    'https://git.example.com:8443/ada/engine',
    'http://127.0.0.1:3000/engine.git',
    'https://[::1]:3000/engine.git',
    'https://example.com/a/@scope/engine.git',
    'https://example.com/engine?service=x',
    'ssh://git@github.com/ada/engine.git',
    'ssh://git.example.com:2222/ada/engine.git',
    'git@github.com:ada/engine.git',
    'deploy_1@git.example.com:engine',
  ])('can be %s', url => expect(read(url)).toBe(url));

  it.each([
    ['a user', 'https://ada@github.com/ada/engine.git', 'user name or password'],
    ['a user and a password', 'https://ada:secret@github.com/ada/engine.git', 'user name or password'],
    ['an empty user', 'https://@github.com/ada/engine.git', 'user name or password'],
    ['a user before a host that has no path', 'https://ada:secret@github.com', 'user name or password'],
    ['a password over ssh', 'ssh://git:secret@github.com/ada/engine.git', 'password'],
  ])('is refused with credentials: %s', (_, url, reason) => expect(refusalOf(url)).toEqual(refused(reason)));

  it.each([
    '--upload-pack=touch /tmp/x',
    '-u',
    'ssh://-oProxyCommand=touch/x',
    'ssh://git@-oProxyCommand=touch/x',
    'ssh://-oProxyCommand@host/x',
    'ssh://host/-oProxyCommand',
    'git@-oProxyCommand=touch:x',
    '-git@host:x',
    'git@host:-x',
    'git@host:--upload-pack=touch',
    'https://-host/x',
  ])('is refused if git or ssh could read it as an option: %s', url => expect(refusalOf(url)).toEqual(refused()));

  it.each(['ext::sh -c touch% /tmp/x', 'ext::sh', 'fd::17', 'transport::https://host/x', '::https://host/x'])(
    'is refused with a remote helper: %s',
    url => expect(refusalOf(url)).toEqual(refused()),
  );

  it.each([
    'https://host/a b',
    ' https://host/a',
    'https://host/a\n',
    'https://host/\u0000a',
    'https://host/\u007f',
    'https://host/é',
    'https://host/a%0ahost=evil',
    'https://host/a%00',
    'https://host\\@evil/x',
  ])('is refused with spaces, control characters or ambiguous encodings: %j', url =>
    expect(refusalOf(url)).toEqual(refused()),
  );

  it.each([
    '',
    'engine',
    '/srv/git/engine.git',
    '../engine',
    'git://host/engine',
    'ftp://host/engine',
    'javascript:alert(1)',
    'HTTPS://host/engine',
    'https://',
    'https:///engine',
    'https://host/engine#main',
    'ssh://host',
    'ssh://host/',
    'git@host:',
    '@host:x',
    'host:x',
  ])('is refused in all other forms: %j', url => expect(refusalOf(url)).toEqual(refused()));

  it('can be a file only if the configuration allows it', () => {
    expect(read('file:///srv/git/engine.git', true)).toBe('file:///srv/git/engine.git');
    expect(refusalOf('file:///srv/git/engine.git')).toEqual(refused('file:// is not allowed'));
  });

  it.each(['file://host/srv/git', 'file://', 'file:///', 'file:///x#y', 'file:/srv/git'])(
    'is refused for a file on another host or without a path: %s',
    url => expect(refusalOf(url, true)).toEqual(refused()),
  );
});
