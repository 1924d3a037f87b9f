import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { z } from 'zod';

/** A key of `POSTERN_ENCRYPTION_KEYS`: 32 bytes and a name that is stored with every sealed value. */
export interface EncryptionKey {
  readonly id: string;
  readonly key: Buffer;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Without this option Node.js accepts shorter tags, which are easier to guess. */
const GCM = { authTagLength: TAG_BYTES };

/** The setting `POSTERN_ENCRYPTION_KEYS`. */
export const encryptionKeys = () =>
  z
    .string()
    .transform((value, context): EncryptionKey[] =>
      value.split(',').map(entry => {
        const at = entry.indexOf(':');
        const key = Buffer.from(entry.slice(at + 1).trim(), 'base64');
        if (at < 1 || key.length !== KEY_BYTES)
          context.addIssue({ code: 'custom', message: 'each key must be <id>:<32 bytes in base64>' });
        return { id: entry.slice(0, at).trim(), key };
      }),
    )
    .describe(
      'Keys for secrets at rest, comma-separated <id>:<32 bytes in base64>; the first one encrypts, all decrypt.',
    );

/**
 * Encrypts values for the database: AES-256-GCM under the first key, bound to their row, so that a value moved to
 * another row cannot be decrypted. Older keys still decrypt their values.
 */
export class KeyRing {
  /** As key objects, because a buffer would be converted for every value. */
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #first: { readonly id: string; readonly key: KeyObject };
  readonly #hashKeys = new Map<string, readonly [KeyObject, ...KeyObject[]]>();

  constructor(keys: readonly EncryptionKey[]) {
    const [first] = keys;
    if (!first) throw new TypeError('at least one encryption key is required');
    if (keys.some(({ key }) => key.length !== KEY_BYTES)) throw new TypeError('an encryption key must have 32 bytes');
    this.#keys = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)]));
    this.#first = { id: first.id, key: createSecretKey(first.key) };
  }

  /** The id of the key that encrypts; values under other keys can be re-encrypted. */
  get firstId(): string {
    return this.#first.id;
  }

  /** The ids of all keys, the first one encrypts. */
  get ids(): string[] {
    return [...this.#keys.keys()];
  }

  /** `<key id>:<base64 of nonce, tag and ciphertext>` */
  seal(plain: string, row: string): string {
    return `${this.#first.id}:${this.sealBytes(Buffer.from(plain, 'utf8'), row).toString('base64')}`;
  }

  /** Nonce, tag and ciphertext under the first key, whose id is stored beside them. */
  sealBytes(plain: Buffer, row: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#first.key, nonce, GCM).setAAD(Buffer.from(row));
    const sealed = [cipher.update(plain), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** @throws if the key is not in the ring, or the value was changed or belongs to another row. */
  open(sealed: string, row: string): string {
    const at = sealed.lastIndexOf(':');
    return this.openBytes(sealed.slice(0, at), Buffer.from(sealed.slice(at + 1), 'base64'), row).toString('utf8');
  }

  /** @throws as `open` does. */
  openBytes(keyId: string, bytes: Buffer, row: string): Buffer {
    const key = this.#keys.get(keyId);
    if (!key) throw new Error(`the encryption key "${keyId}" is not configured`);
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('the sealed value is too short');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), GCM)
      .setAAD(Buffer.from(row))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  }

  /** Hashes under all keys, so that a value hashed under an older key can be found. */
  keyedHashes(value: string, purpose: string): readonly [string, ...string[]] {
    const hash = (key: KeyObject) => createHmac('sha256', key).update(value).digest('hex');
    const [first, ...older] = this.#hashKeysFor(purpose);
    return [hash(first), ...older.map(hash)];
  }

  /** Derived once per purpose; there are few purposes. */
  #hashKeysFor(purpose: string): readonly [KeyObject, ...KeyObject[]] {
    const known = this.#hashKeys.get(purpose);
    if (known) return known;
    const derive = (key: KeyObject) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)));
    const older = [...this.#keys.values()].slice(1);
    const derived = [derive(this.#first.key), ...older.map(derive)] as const;
    this.#hashKeys.set(purpose, derived);
    return derived;
  }
}
