import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { ComposedMessage } from './compose.js';
import type { HeaderLine } from './header-text.js';

/** A key pair for one domain and selector. */
export interface DkimKeyPair {
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  /** The value of the TXT record at `<selector>._domainkey.<domain>` (RFC 6376 §3.6.1). */
  readonly record: string;
}

/** The signer. `domain` is in A-labels. */
export interface DkimIdentity {
  readonly domain: string;
  readonly selector: string;
  /** RSA (PKCS #8 or PKCS #1) or Ed25519 (PKCS #8), PEM. */
  readonly privateKey: string;
}

/** Signed even if absent, so that a header added in transit invalidates the signature (RFC 6376 §8.15). */
const ALWAYS_SIGNED = ['from', 'reply-to', 'subject', 'to', 'cc', 'date', 'message-id', 'mime-version', 'content-type'];
/** Instructions to relays (SES, SendGrid, Mandrill, Mailgun, Postmark, Mailjet, SparkPost, Brevo), which remove them. */
const REMOVED_BY_RELAYS = /^x-(?:ses-|smtpapi$|mc-|mailgun-|pm-|mj-|msys-|mailin-)/;
const MAX_LINE = 76;

const ED25519_BYTES = 32;

/** The input that all signatures of a message share. */
interface MessageDigest {
  readonly names: readonly string[];
  /** The selected headers in canonical form. */
  readonly canonical: string;
  readonly bodyHash: string;
}

type SignedContent = Pick<ComposedMessage, 'headerLines' | 'body' | 'shared'>;

/** Generates a 2048-bit RSA key pair on the thread pool, in about 0.1 s. */
export async function generateDkimKeyPair(): Promise<DkimKeyPair> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { privateKey: pem, record: dkimRecord(pem) };
}

/** Generates an Ed25519 key pair (RFC 8463). */
export async function generateEd25519KeyPair(): Promise<DkimKeyPair> {
  const { privateKey } = await promisify(generateKeyPair)('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { privateKey: pem, record: dkimRecord(pem) };
}

/** The TXT record that belongs to a private key; for Ed25519 it contains the raw 32-byte key (RFC 8463 §4). */
export function dkimRecord(privateKey: string): string {
  const key = createPublicKey(privateKey);
  const spki = key.export({ type: 'spki', format: 'der' });
  return key.asymmetricKeyType === 'ed25519'
    ? `v=DKIM1; k=ed25519; p=${spki.subarray(-ED25519_BYTES).toString('base64')}`
    : `v=DKIM1; k=rsa; p=${spki.toString('base64')}`;
}

/** One signature by each signer, in their order; the shared input is computed once. */
export async function signMessage(
  message: SignedContent,
  signers: readonly DkimSigner[],
  at = new Date(),
): Promise<HeaderLine[]> {
  if (signers.length === 0) return [];
  const digest = digestOf(message);
  return Promise.all(signers.map(signer => signer.signDigest(digest, at)));
}

/**
 * Signs messages for one domain: rsa-sha256 or ed25519-sha256, relaxed/relaxed. Keep one instance per domain, because it
 * caches the parsed key. mailauth takes three times the CPU, on the event loop (docs/decisions/0059-own-code-and-libraries.md).
 */
export class DkimSigner {
  readonly #key: KeyObject;
  readonly #algorithm: 'rsa-sha256' | 'ed25519-sha256';

  constructor(readonly identity: DkimIdentity) {
    this.#key = createPrivateKey(identity.privateKey);
    const type = this.#key.asymmetricKeyType;
    if (type !== 'rsa' && type !== 'ed25519') throw new TypeError('a DKIM key must be an RSA or Ed25519 key');
    this.#algorithm = `${type}-sha256`;
  }

  /**
   * The DKIM-Signature header for exactly these bytes; put it in front of the message. The operation with the private key
   * runs on the thread pool.
   */
  sign(message: SignedContent, at = new Date()): Promise<HeaderLine> {
    return this.signDigest(digestOf(message), at);
  }

  /** The same for a message whose headers are selected and whose body is hashed. */
  async signDigest({ names, canonical, bodyHash }: MessageDigest, at: Date): Promise<HeaderLine> {
    const { domain, selector } = this.identity;
    const unsigned =
      `DKIM-Signature: v=1; a=${this.#algorithm}; c=relaxed/relaxed; d=${domain};\r\n` +
      ` s=${selector}; t=${Math.floor(at.getTime() / 1000)};\r\n` +
      `${foldedNames(names)};\r\n` +
      ` bh=${bodyHash};\r\n b=`;
    const data = Buffer.from(canonical + canonicalHeader(unsigned).trimEnd(), 'utf8');
    // Ed25519 signs the hash of the data (RFC 8463 §3).
    const signature =
      this.#algorithm === 'rsa-sha256'
        ? await signOnThreadPool('sha256', data, this.#key)
        : await signOnThreadPool(null, createHash('sha256').update(data).digest(), this.#key);
    return { name: 'DKIM-Signature', line: unsigned + foldedValue(signature) };
  }
}

const digestOf = (message: SignedContent): MessageDigest => ({
  ...selectHeaders(message.headerLines),
  bodyHash: bodyHashOf(message),
});

/** Copies that differ only in their headers share one body, which is hashed once. */
const bodyHashes = new WeakMap<Buffer, string>();

function bodyHashOf({ body, shared }: SignedContent): string {
  if (shared) return shared.canonicalHash();
  const hash = bodyHashes.get(body) ?? createHash('sha256').update(canonicalBody(body)).digest('base64');
  bodyHashes.set(body, hash);
  return hash;
}

/**
 * All headers of the message, each listed once more than it occurs, so that no second one can be added. Instances of one
 * header are signed from the bottom up (RFC 6376 §5.4.2).
 */
function selectHeaders(lines: readonly HeaderLine[]): { names: string[]; canonical: string } {
  const keys = lines.map(({ name }) => name.toLowerCase());
  const names: string[] = [];
  let canonical = '';
  for (const wanted of new Set([...ALWAYS_SIGNED, ...keys])) {
    if (REMOVED_BY_RELAYS.test(wanted)) continue;
    for (let at = keys.lastIndexOf(wanted); at >= 0; at = at === 0 ? -1 : keys.lastIndexOf(wanted, at - 1)) {
      names.push(wanted);
      canonical += `${canonicalHeader(lines[at]!.line)}\r\n`;
    }
    names.push(wanted);
  }
  return { names, canonical };
}

function signOnThreadPool(algorithm: 'sha256' | null, data: Buffer, key: KeyObject): Promise<string> {
  return new Promise((resolve, reject) => {
    sign(algorithm, data, key, (error, signature) => (error ? reject(error) : resolve(signature.toString('base64'))));
  });
}

function foldedNames(names: readonly string[]): string {
  let folded = ' h=';
  let column = folded.length;
  names.forEach((name, index) => {
    const token = index === 0 ? name : `:${name}`;
    if (column + token.length + 1 > MAX_LINE) {
      folded += '\r\n ';
      column = 1;
    }
    folded += token;
    column += token.length;
  });
  return folded;
}

function foldedValue(value: string): string {
  const first = MAX_LINE - 3;
  let folded = value.slice(0, first);
  for (let at = first; at < value.length; at += MAX_LINE - 1) folded += `\r\n ${value.slice(at, at + MAX_LINE - 1)}`;
  return folded;
}

/** The "relaxed" canonical forms of RFC 6376 §3.4.2 and §3.4.4, in linear time over any input. */
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const LAST_LINE = Buffer.from('x\r\n', 'latin1');
const MORE_THAN_BLANKS = /[\t\r]| {2}/;

/** One header field (`Name: value`, folded or not) in relaxed form, without its line end. */
export function canonicalHeader(line: string): string {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon).trim().toLowerCase();
  let value = line.slice(colon + 1);
  // Most lines are not folded and contain no consecutive blanks.
  if (MORE_THAN_BLANKS.test(value)) value = value.replace(/\r\n/g, '').replace(/[ \t]+/g, ' ');
  const start = value.charCodeAt(0) === SPACE ? 1 : 0;
  const end = value.length > start && value.charCodeAt(value.length - 1) === SPACE ? value.length - 1 : value.length;
  return `${name}:${value.slice(start, end)}`;
}

/** A body in relaxed form: blanks reduced, none before line ends, no empty lines at the end. */
export function canonicalBody(body: Buffer): Buffer {
  if (isCanonical(body)) return body;
  const out = Buffer.allocUnsafe(body.length + 2);
  let end = 0;
  let contentEnd = 0;
  let blank = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === SPACE || byte === TAB) {
      blank = true;
      continue;
    }
    if (byte === CR && body[at + 1] === LF) {
      blank = false;
      out[end++] = CR;
      out[end++] = LF;
      at++;
      continue;
    }
    if (blank) out[end++] = SPACE;
    blank = false;
    out[end++] = byte;
    contentEnd = end;
  }
  if (contentEnd === 0) return out.subarray(0, 0);
  out[contentEnd] = CR;
  out[contentEnd + 1] = LF;
  return out.subarray(0, contentEnd + 2);
}

/** Whole lines in relaxed form; unlike in `canonicalBody`, empty lines at the end are kept. */
export function canonicalLines(lines: Buffer): Buffer {
  return canonicalBody(Buffer.concat([lines, LAST_LINE])).subarray(0, -LAST_LINE.length);
}

/** True for nearly all composed messages; may be false for a canonical body. */
function isCanonical(body: Buffer): boolean {
  const { length } = body;
  const endsInLine = body[length - 2] === CR && body[length - 1] === LF;
  if (length < 4 || !endsInLine || body[length - 3] === LF) return false;
  for (let at = 0; at < length; at++) {
    const byte = body[at]!;
    if (byte > SPACE) continue;
    if (byte === TAB || (byte === SPACE && body[at + 1]! <= SPACE)) return false;
  }
  return true;
}
