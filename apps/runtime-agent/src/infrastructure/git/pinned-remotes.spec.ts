import { describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import fc from 'fast-check';
import { canPin } from './git-environment.js';
import { PinnedRemotes } from './pinned-remotes.js';

const ADDRESSES = [
  { address: '93.184.215.14', family: 4 },
  { address: '2606:2800:21f::1', family: 6 },
];
const remotes = new PinnedRemotes(new OutboundGuard({ allowPrivate: false, resolve: async () => ADDRESSES }));

describe('a pinned remote', () => {
  it('over HTTP is given with all checked addresses of its host and its port', async () => {
    expect(await remotes.pin('https://Git.Example.com./a.git?x=1')).toEqual({
      url: 'https://git.example.com/a.git?x=1',
      curlResolve: 'git.example.com:443:93.184.215.14,[2606:2800:21f::1]',
      sshOptions: [],
    });
    expect(await remotes.pin('http://git.example.com:8080/a')).toMatchObject({
      curlResolve: 'git.example.com:8080:93.184.215.14,[2606:2800:21f::1]',
    });
  });

  it('at a literal address is given in the form that was checked', async () =>
    expect(await remotes.pin('http://0x5db8d70e/a')).toEqual({
      url: 'http://93.184.215.14/a',
      curlResolve: undefined,
      sshOptions: [],
    }));

  it.each(['ssh://git@git.example.com:22/a', 'git@git.example.com:a'])(
    'over SSH goes to a checked address and keeps the name of the host key: %s',
    async url => {
      const { sshOptions } = await remotes.pin(url);
      expect(sshOptions.join(' ')).toBe('-o HostName=93.184.215.14 -o HostKeyAlias=git.example.com -o CheckHostIP=no');
    },
  );

  it.each([
    'https://',
    'https:/[',
    'ext::sh -c id',
    'git://git.example.com/a',
    'ftp://git.example.com/a',
    '/srv/a.git',
    '--upload-pack=x',
    'ssh://git@a"b/x',
    'ssh://git@-oProxyCommand=id/x',
    'git@-oProxyCommand=id:x',
    'git@a b:x',
  ])('is none for %s', async url => expect(remotes.pin(url)).rejects.toMatchObject({ name: 'SourceUnavailable' }));

  it('never holds a character that ends a setting or an option, whatever the address is', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('http://', 'https://', 'ssh://git@', 'git@', ''),
        fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.webUrl(), fc.domain()),
        async (scheme, rest) => {
          const remote = await remotes.pin(`${scheme}${rest}`).catch(() => undefined);
          fc.pre(remote !== undefined);
          expect(remote!.curlResolve ?? '').toMatch(/^[a-z0-9.,_[\]:-]*$/);
          expect(remote!.sshOptions.join(' ')).toMatch(/^[A-Za-z0-9._:= -]*$/);
        },
      ),
    ));
});

it('git pins connections from version 2.37 on', () =>
  expect(
    ['git version 2.36.9', 'git version 2.37.0', 'git version 2.50.1 (Apple Git-155)', 'git version 3.0', 'none'].map(
      canPin,
    ),
  ).toEqual([false, true, true, true, false]));
