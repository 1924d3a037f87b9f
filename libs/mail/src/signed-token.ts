import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

/** A message and one of its recipients (by position over to, cc and bcc). */
export interface TrackedRecipient {
  readonly emailId: string;
  readonly recipientIndex: number;
}

/** The content of a signed copy id; without an index, it names every copy of the message. */
export interface NamedCopy {
  readonly emailId: string;
  readonly recipientIndex: number | undefined;
}

/** The content of a tracked link. */
export interface TrackedClick extends TrackedRecipient {
  readonly url: string;
}

/** Key objects, because a raw buffer would be converted for every token. */
interface Keys {
  readonly returnPath: KeyObject;
  readonly copyId: KeyObject;
  readonly open: KeyObject;
  readonly click: KeyObject;
  readonly clickNonce: KeyObject;
  readonly optOut: KeyObject;
  readonly unsubscribe: KeyObject;
}

const RETURN_PATH_PREFIX = 'b+';
const SUBJECT_BYTES = 18;
const RETURN_PATH_MAC_BYTES = 12;
const COPY_ID_MAC_BYTES = 15;
/** Denotes every copy of a message; indexes of recipients are smaller. */
const ALL_COPIES = 0xffff;
const OPEN_MAC_BYTES = 16;
const OPT_OUT_MAC_BYTES = 16;
const MAILBOX_HASH_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_SECRET_BYTES = 32;
const MAX_TOKEN = 16_384;
const COPY_ID = /^([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?:\.(0|[1-9]\d{0,4}))?\.([a-z2-7]{24})$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Signed tokens in return paths, tracking pixels and tracked links. A forged, altered or foreign token decodes to
 * undefined. Equal input gives equal tokens.
 */
export class TrackingTokens {
  private constructor(private readonly keys: readonly [Keys, ...Keys[]]) {}

  /** The first secret signs, all secrets verify. Each has at least 32 bytes; HKDF derives one key per purpose. */
  static fromSecrets(secrets: readonly string[]): TrackingTokens {
    const [first, ...others] = secrets.map(deriveKeys);
    if (!first) throw new RangeError('at least one secret is needed');
    return new TrackingTokens([first, ...others]);
  }

  /**
   * The local part of a message's return path, `b+…`, 50 characters, all lower case, because servers in transit may change
   * the case.
   */
  returnPathToken(emailId: string, recipientIndex: number): string {
    const subject = packSubject(emailId, recipientIndex);
    return RETURN_PATH_PREFIX + encodeBase32(sealed(subject, this.keys[0].returnPath, RETURN_PATH_MAC_BYTES));
  }

  /** Reads the local part of the address that a notification was sent to. */
  readReturnPathToken(localPart: string): TrackedRecipient | undefined {
    const lower = localPart.toLowerCase();
    if (!lower.startsWith(RETURN_PATH_PREFIX) || lower.length > 64) return undefined;
    const bytes = decodeBase32(lower.slice(RETURN_PATH_PREFIX.length));
    return bytes && this.#unseal(bytes, 'returnPath', RETURN_PATH_MAC_BYTES);
  }

  /**
   * The signed id of one copy, or of every copy if there is no index: `<email id>[.<index>].<MAC>`. It is in a header and
   * in the Message-ID, which reports quote.
   */
  copyId(emailId: string, recipientIndex?: number): string {
    const signature = mac(packSubject(emailId, recipientIndex ?? ALL_COPIES), this.keys[0].copyId, COPY_ID_MAC_BYTES);
    return [emailId, ...(recipientIndex === undefined ? [] : [recipientIndex]), encodeBase32(signature)].join('.');
  }

  readCopyId(copyId: string): NamedCopy | undefined {
    const [, emailId, digits, signature] = COPY_ID.exec(copyId.toLowerCase()) ?? [];
    if (emailId === undefined || signature === undefined) return undefined;
    const recipientIndex = digits === undefined ? undefined : Number(digits);
    if (recipientIndex !== undefined && recipientIndex >= ALL_COPIES) return undefined;
    const claimed = decodeBase32(signature);
    const subject = packSubject(emailId, recipientIndex ?? ALL_COPIES);
    const isOurs = claimed && this.#authentic(Buffer.concat([subject, claimed]), 'copyId', SUBJECT_BYTES);
    return isOurs ? { emailId, recipientIndex } : undefined;
  }

  /** The token in a tracking pixel's address, safe in a URL. */
  openToken(emailId: string, recipientIndex: number): string {
    return sealed(packSubject(emailId, recipientIndex), this.keys[0].open, OPEN_MAC_BYTES).toString('base64url');
  }

  readOpenToken(token: string): TrackedRecipient | undefined {
    const bytes = decodeBase64url(token);
    return bytes && this.#unseal(bytes, 'open', OPEN_MAC_BYTES);
  }

  /** The token of the hosted page to unsubscribe, safe in a URL. */
  unsubscribeToken(emailId: string, recipientIndex: number): string {
    return sealed(packSubject(emailId, recipientIndex), this.keys[0].unsubscribe, OPEN_MAC_BYTES).toString('base64url');
  }

  readUnsubscribeToken(token: string): TrackedRecipient | undefined {
    const bytes = decodeBase64url(token);
    return bytes && this.#unseal(bytes, 'unsubscribe', OPEN_MAC_BYTES);
  }

  /**
   * The token in a tracked link's address, safe in a URL. The target is encrypted, so that it is neither visible nor
   * replaceable; the nonce is derived from the content, so no state or randomness is needed.
   */
  clickToken(emailId: string, recipientIndex: number, url: string): string {
    if (!isWebUrl(url)) throw new RangeError('only http and https links can be tracked');
    const plain = Buffer.concat([packSubject(emailId, recipientIndex), Buffer.from(url, 'utf8')]);
    const { click, clickNonce } = this.keys[0];
    const nonce = mac(plain, clickNonce, NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', click, nonce);
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  readClickToken(token: string): TrackedClick | undefined {
    const bytes = decodeBase64url(token);
    if (!bytes || bytes.length <= NONCE_BYTES + SUBJECT_BYTES + TAG_BYTES) return undefined;
    for (const { click } of this.keys) {
      const plain = decrypted(bytes, click);
      if (!plain) continue;
      const url = plain.subarray(SUBJECT_BYTES).toString('utf8');
      return isWebUrl(url) ? { ...unpackSubject(plain), url } : undefined;
    }
    return undefined;
  }

  /** The token of a link by which a mailbox refuses verification codes, safe in a URL; it holds only a hash. */
  optOutToken(mailboxHash: Buffer): string {
    if (mailboxHash.length !== MAILBOX_HASH_BYTES) throw new RangeError('the hash of a mailbox has 32 bytes');
    return sealed(mailboxHash, this.keys[0].optOut, OPT_OUT_MAC_BYTES).toString('base64url');
  }

  /** The hash of the mailbox. */
  readOptOutToken(token: string): Buffer | undefined {
    const bytes = decodeBase64url(token);
    if (bytes?.length !== MAILBOX_HASH_BYTES + OPT_OUT_MAC_BYTES) return undefined;
    return this.#authentic(bytes, 'optOut', MAILBOX_HASH_BYTES);
  }

  #unseal(
    bytes: Buffer,
    purpose: 'returnPath' | 'open' | 'unsubscribe',
    macBytes: number,
  ): TrackedRecipient | undefined {
    if (bytes.length !== SUBJECT_BYTES + macBytes) return undefined;
    const subject = this.#authentic(bytes, purpose, SUBJECT_BYTES);
    return subject && unpackSubject(subject);
  }

  /** The content before the MAC, if the MAC is valid under one of the keys. */
  #authentic(
    bytes: Buffer,
    purpose: 'returnPath' | 'copyId' | 'open' | 'optOut' | 'unsubscribe',
    contentBytes: number,
  ): Buffer | undefined {
    const content = bytes.subarray(0, contentBytes);
    const claimed = bytes.subarray(contentBytes);
    const isOurs = this.keys.some(keys => timingSafeEqual(mac(content, keys[purpose], claimed.length), claimed));
    return isOurs ? content : undefined;
  }
}

function deriveKeys(secret: string): Keys {
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new RangeError(`a tracking secret needs at least ${MIN_SECRET_BYTES} bytes`);
  }
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `postern tracking ${purpose} v1`, 32)));
  return {
    returnPath: derive('return path'),
    copyId: derive('copy id'),
    open: derive('open'),
    click: derive('click'),
    clickNonce: derive('click nonce'),
    optOut: derive('opt out'),
    unsubscribe: derive('unsubscribe'),
  };
}

function packSubject(emailId: string, recipientIndex: number): Buffer {
  if (!UUID.test(emailId)) throw new RangeError('the email id is not a UUID in lower case');
  if (!Number.isInteger(recipientIndex) || recipientIndex < 0 || recipientIndex > 0xffff) {
    throw new RangeError('the recipient index does not fit into 16 bits');
  }
  const packed = Buffer.alloc(SUBJECT_BYTES);
  packed.write(emailId.replaceAll('-', ''), 0, 'hex');
  packed.writeUInt16BE(recipientIndex, 16);
  return packed;
}

function unpackSubject(packed: Buffer): TrackedRecipient {
  const hex = packed.toString('hex', 0, 16);
  const emailId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { emailId, recipientIndex: packed.readUInt16BE(16) };
}

function sealed(subject: Buffer, key: KeyObject, macBytes: number): Buffer {
  return Buffer.concat([subject, mac(subject, key, macBytes)]);
}

function mac(content: Buffer, key: KeyObject, length: number): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, length);
}

function decrypted(bytes: Buffer, key: KeyObject): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Node's decoder skips invalid characters; only the canonical encoding of a token is accepted. */
function decodeBase64url(token: string): Buffer | undefined {
  if (token.length > MAX_TOKEN) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  return bytes.toString('base64url') === token ? bytes : undefined;
}

function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 base32 in lower case, without padding. */
export function encodeBase32(bytes: Uint8Array): string {
  let out = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += ALPHABET[(buffer >> bits) & 31];
    }
  }
  return bits > 0 ? out + ALPHABET[(buffer << (5 - bits)) & 31] : out;
}

/** Reads lower-case base32; undefined if the text is not exactly the output of `encodeBase32`. */
export function decodeBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const character of text) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return undefined;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((buffer >> bits) & 255);
    }
  }
  const decoded = Buffer.from(bytes);
  return encodeBase32(decoded) === text ? decoded : undefined;
}
