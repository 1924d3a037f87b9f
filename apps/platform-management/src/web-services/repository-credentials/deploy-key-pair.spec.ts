import { createPublicKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import ssh2, { type ParsedKey } from 'ssh2';
import { newDeployKeyPair } from './deploy-key-pair.js';

const parsed = (text: string): ParsedKey => {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  return key;
};

describe('a deploy key', () => {
  it('has a public and a private part in the formats of OpenSSH', () => {
    const { publicKey, privateKey } = newDeployKeyPair('postern-1');
    expect(publicKey).toMatch(/^ssh-ed25519 [A-Za-z0-9+/]{68} postern-1$/);
    expect(privateKey).toMatch(
      /^-----BEGIN OPENSSH PRIVATE KEY-----\n([A-Za-z0-9+/=]{1,70}\n)+-----END [A-Z ]+-----\n$/,
    );
    const [open, secret] = [parsed(publicKey), parsed(privateKey)];
    expect(secret).toMatchObject({ type: 'ssh-ed25519', comment: 'postern-1' });
    expect(secret.getPublicSSH()).toEqual(open.getPublicSSH());
    const message = Buffer.from('challenge');
    expect(open.verify(message, secret.sign(message))).toBe(true);
    expect(sign(null, message, secret.getPrivatePEM())).toHaveLength(64);
    expect(createPublicKey(secret.getPublicPEM()).asymmetricKeyType).toBe('ed25519');
  });

  it('has a padded private part, whatever the length of its comment', () => {
    for (let length = 1; length <= 16; length += 1) {
      const { privateKey } = newDeployKeyPair('x'.repeat(length));
      expect(parsed(privateKey).comment).toHaveLength(length);
    }
  });

  it('is different each time', () => expect(newDeployKeyPair('a').publicKey).not.toBe(newDeployKeyPair('a').publicKey));
});
