import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { DeployKeyPair } from './repository-credentials.js';

const TYPE = 'ssh-ed25519';
const LINE_LENGTH = 70;
const BLOCK = 8;

/** Creates an Ed25519 key in the formats of OpenSSH (its PROTOCOL.key), which Node.js does not write. */
export const newDeployKeyPair = (comment: string): DeployKeyPair => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  // Both DER encodings end with the 32 bytes of the key (RFC 8410).
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const seed = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32);
  const blob = Buffer.concat([field(TYPE), field(point)]);
  return {
    publicKey: `${TYPE} ${blob.toString('base64')} ${comment}`,
    privateKey: privateKeyFile(blob, point, seed, comment),
  };
};

const privateKeyFile = (blob: Buffer, point: Buffer, seed: Buffer, comment: string): string => {
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    field(TYPE),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const padding = Buffer.from(
    Array.from({ length: (BLOCK - (secret.length % BLOCK)) % BLOCK }, (_, index) => index + 1),
  );
  const [noCipher, noDerivation, noOptions] = [field('none'), field('none'), field('')];
  const content = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[noCipher, noDerivation, noOptions, number(1), field(blob), field(Buffer.concat([secret, padding]))],
  ]);
  const lines = content.toString('base64').match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
};

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Encodes a string of the SSH protocol: its length, then its bytes (RFC 4251 §5). */
const field = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
};
