import { describe, expect, it } from '@jest/globals';
import { imageAddress } from '@postern/runtime';
import { fingerprintsOf } from './host-key-fingerprints.js';
import { credentialsFor, forRepository, hostOfRepository, secretsIn, withheldToken } from './source-credentials.js';

const opened = {
  ssh: { privateKey: 'private key' },
  https: { username: 'ada', token: 'secret-token' },
  tokenHost: 'git.example.com',
};

describe('the host of a repository', () => {
  it.each([
    ['https://Git.Example.com:8443/a', 'git.example.com'],
    ['https://git.example.com./a', 'git.example.com'],
    ['ssh://git@git.example.com:2222/a', 'git.example.com'],
    ['git@Git.example.com:ada/engine.git', 'git.example.com'],
    ['git@[::1]:a', '[::1]'],
    ['https://[::1]:3000/a', '[::1]'],
    ['file:///srv/a.git', ''],
  ])('of %s is %s', (url, host) => expect(hostOfRepository(url)).toBe(host));
});

describe('a deploy key', () => {
  it.each(['ssh://git@git.example.com/a', 'git@other.example.com:a'])('is used for SSH repositories: %s', url =>
    expect(credentialsFor(opened, url)).toEqual({ ssh: opened.ssh }),
  );
});

describe('the credentials of a registry', () => {
  const registry = { username: 'ada', token: 'secret-password', host: 'registry.example.com:5000' };
  const withRegistry = { ...opened, registry };

  it('are sent only to the registry that they were stored for, with its port', () => {
    const address = imageAddress('registry.example.com:5000/shop/web:1');
    expect(credentialsFor(withRegistry, address)).toEqual({ https: { username: 'ada', token: 'secret-password' } });
    expect(withheldToken(withRegistry, address)).toBeUndefined();
    for (const other of [
      'registry.example.com/shop/web',
      'registry.example.com:5001/shop',
      'nginx',
      'git.example.com/a',
    ]) {
      expect(credentialsFor(withRegistry, imageAddress(other))).toEqual({});
      expect(withheldToken(withRegistry, imageAddress(other))).toMatch(
        /^The registry credentials were stored for registry\.example\.com:5000 and are not sent to /,
      );
    }
  });

  it('are not sent to a Git host, and no token of a Git host to a registry', () => {
    expect(credentialsFor(withRegistry, 'https://registry.example.com:5000/a')).toEqual({});
    expect(credentialsFor(opened, imageAddress('git.example.com/a'))).toEqual({});
    expect(withheldToken(opened, imageAddress('git.example.com/a'))).toBeUndefined();
  });
});

describe('a token', () => {
  it('is sent to the host that it was stored for, on any port and path', () => {
    expect(credentialsFor(opened, 'https://git.example.com:8443/other')).toEqual({ https: opened.https });
    expect(withheldToken(opened, 'https://git.example.com/a')).toBeUndefined();
  });

  it.each([
    'https://evil.example.com/a',
    'https://git.example.com.evil.example/a',
    'https://example.com/git.example.com',
  ])('is sent to no other host: %s', url => {
    expect(credentialsFor(opened, url)).toEqual({});
    expect(withheldToken(opened, url)).toMatch(
      /^The access token was stored for git\.example\.com and is not sent to /,
    );
  });

  it('of a user of Bitbucket Cloud has the user name that Git expects, and the email address in the API', () => {
    const https = { username: 'ada@example.com', token: 'secret-token' };
    const found = forRepository({ https, tokenHost: 'bitbucket.org' }, 'https://bitbucket.org/shop/web.git');
    const git = { username: 'x-bitbucket-api-token-auth', token: 'secret-token' };
    expect(found).toMatchObject({ source: { https: git }, api: https });
    const { source } = forRepository({ https, tokenHost: 'git.example.com' }, 'https://git.example.com/web.git');
    expect(source).toEqual({ https });
  });

  it('is not mentioned in the log if none is needed', () => {
    expect(withheldToken(opened, 'git@other.example.com:a')).toBeUndefined();
    expect(withheldToken({ tokenHost: undefined }, 'https://other.example.com/a')).toBeUndefined();
  });
});

it('the secrets of credentials are the key, the token, and the token in HTTP Basic form', () =>
  expect(secretsIn(opened)).toEqual(['private key', 'secret-token', 'YWRhOnNlY3JldC10b2tlbg==']));

it('host keys are shown with the same fingerprints as in ssh-keygen', () =>
  expect(
    fingerprintsOf(
      '[github.com]:2222 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\n',
    ),
  ).toEqual([{ host: 'github.com:2222', fingerprint: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU' }]));
