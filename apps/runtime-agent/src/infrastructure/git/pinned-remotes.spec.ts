import { describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import fc from 'fast-check';
import { canPin } from './git-environment.js';
import { PinnedRemotes } from './pinned-remotes.js';
import { accessSettings } from './remote-access.js';

const ADDRESSES = [
  { address: '93.184.215.14', family: 4 },
  { address: '2606:2800:21f::1', family: 6 },
];
const remotes = new PinnedRemotes(new OutboundGuard({ allowPrivate: false, resolve: async () => ADDRESSES }));

const CREDENTIALS = { ssh: { privateKey: 'key' }, https: { username: 'ada', token: 'secret' } };

describe('A pinned remote', () => {
  it('over HTTP has all checked addresses of its host and its port', async () => {
    expect(await remotes.pin('https://Git.Example.com./a.git?x=1')).toEqual({
      url: 'https://git.example.com/a.git?x=1',
      curlResolve: 'git.example.com:443:93.184.215.14,[2606:2800:21f::1]',
      sshOptions: [],
    });
    expect(await remotes.pin('http://git.example.com:8080/a')).toMatchObject({
      curlResolve: 'git.example.com:8080:93.184.215.14,[2606:2800:21f::1]',
    });
  });

  it('at a literal address has the form that was checked', async () =>
    expect(await remotes.pin('http://0x5db8d70e/a')).toEqual({
      url: 'http://93.184.215.14/a',
      curlResolve: undefined,
      sshOptions: [],
    }));

  it.each(['ssh://git@git.example.com:22/a', 'git@git.example.com:a'])(
    'over SSH connects to a checked address and keeps the name of the host key: %s',
    async url => {
      const { sshOptions } = await remotes.pin(url, CREDENTIALS);
      expect(sshOptions.join(' ')).toBe('-o HostName=93.184.215.14 -o HostKeyAlias=git.example.com -o CheckHostIP=no');
    },
  );

  it('gets the credentials of its protocol, for its own server only', async () => {
    const access = async (url: string) => (await remotes.pin(url, CREDENTIALS)).access;
    expect(await access('https://Git.Example.com:8443/a')).toEqual({
      kind: 'token',
      origin: 'https://git.example.com:8443',
      username: 'ada',
      token: 'secret',
    });
    expect(await access('ssh://git@git.example.com:2222/a')).toEqual({
      kind: 'ssh',
      privateKey: 'key',
      hostKeyName: '[git.example.com]:2222',
      knownHosts: '',
    });
  });

  it.each([
    ['https://git.example.com/a', { ssh: CREDENTIALS.ssh }, undefined],
    ['http://git.example.com/a', CREDENTIALS, 'is not sent unencrypted'],
    ['git@git.example.com:a', { https: CREDENTIALS.https }, 'needs a deploy key'],
  ])('gets no other credentials: %s', async (url, credentials, refusal) => {
    const pinned = remotes.pin(url, credentials);
    if (refusal) await expect(pinned).rejects.toThrow(refusal);
    else expect((await pinned).access).toBeUndefined();
  });

  it('has the published host keys of large forges, and the stored ones of all others', async () => {
    const stored =
      '[git.example.com]:22 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\ngithub.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n';
    const known = async (url: string) => {
      const { access } = await remotes.pin(url, {
        ssh: { privateKey: 'key', knownHosts: `${stored}git.example.com ssh-rsa AAAAC3NzaC1lZDI1NTE5\n` },
      });
      return access?.kind === 'ssh' ? access.knownHosts : '';
    };
    expect(await known('git@github.com:ada/engine')).toMatch(/^github\.com ssh-ed25519 \S{68}\n$/);
    expect(await known('ssh://git@ssh.github.com:443/ada/engine')).toMatch(/^\[ssh\.github\.com\]:443 ssh-ed25519 /);
    expect(await known('git@git.example.com:a')).toBe('git.example.com ssh-rsa AAAAC3NzaC1lZDI1NTE5\n');
    expect(await known('git@other.example.com:a')).toBe('');
  });

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

  it('never contains a character that ends a setting or an option, for any address', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('http://', 'https://', 'ssh://git@', 'git@', ''),
        fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.webUrl(), fc.domain()),
        async (scheme, rest) => {
          const remote = await remotes.pin(`${scheme}${rest}`, CREDENTIALS).catch(() => undefined);
          fc.pre(remote !== undefined);
          expect(remote!.curlResolve ?? '').toMatch(/^[a-z0-9.,_[\]:-]*$/);
          expect(remote!.sshOptions.join(' ')).toMatch(/^[A-Za-z0-9._:=[\] -]*$/);
          expect(accessSettings(remote!.access)).toMatch(/^(?:\[credential "https:\/\/[a-z0-9._:[\]-]+"\]\n.*\n)?$/);
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
