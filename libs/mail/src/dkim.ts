import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { ComposedMessage } from './compose.js';
import { canonicalBody, canonicalHeader } from './dkim-canonical.js';
import type { HeaderLine } from './header-text.js';

/** A key pair for one domain and selector. */
export interface DkimKeyPair {
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  /** The value of the TXT record at `<selector>._domainkey.<domain>` (RFC 6376 §3.6.1). */
  readonly record: string;
}

/** Who signs. `domain` is in A-labels. */
export interface DkimIdentity {
  readonly domain: string;
  readonly selector: string;
  /** RSA, PKCS #8 or PKCS #1, PEM. */
  readonly privateKey: string;
}

/** Listed once more than they occur, so that a second one added on the way breaks the signature (RFC 6376 §8.15). */
const OVERSIGNED = ['from', 'reply-to', 'subject', 'to', 'cc'];
const SIGNED_WHERE_PRESENT = [
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'in-reply-to',
  'references',
  // RFC 8058 §4: one-click unsubscription works only if both are signed.
  'list-unsubscribe',
  'list-unsubscribe-post',
];
const MAX_LINE = 76;

/** Makes a 2048-bit RSA key pair; off the event loop, about 0.1 s. */
export async function generateDkimKeyPair(): Promise<DkimKeyPair> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { privateKey: pem, record: dkimRecord(pem) };
}

/** The TXT record that belongs to a private key. */
export function dkimRecord(privateKey: string): string {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return `v=DKIM1; k=rsa; p=${spki.toString('base64')}`;
}

/**
 * Signs messages for one domain: rsa-sha256, relaxed/relaxed. Keep one per domain: the parsed key is what it caches.
 * mailauth takes three times the CPU, on the event loop (docs/decisions/0018-libraries-for-mail.md).
 */
export class DkimSigner {
  readonly #key: KeyObject;

  constructor(readonly identity: DkimIdentity) {
    this.#key = createPrivateKey(identity.privateKey);
    if (this.#key.asymmetricKeyType !== 'rsa') throw new TypeError('a DKIM key must be an RSA key');
  }

  /**
   * The DKIM-Signature header for exactly these bytes; put it in front of the message. The RSA operation runs on the
   * thread pool.
   */
  async sign(message: Pick<ComposedMessage, 'headerLines' | 'body'>, at = new Date()): Promise<HeaderLine> {
    const { names, canonical } = selectHeaders(message.headerLines);
    const bodyHash = createHash('sha256').update(canonicalBody(message.body)).digest('base64');
    const { domain, selector } = this.identity;
    const unsigned =
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain};\r\n` +
      ` s=${selector}; t=${Math.floor(at.getTime() / 1000)};\r\n` +
      `${foldedNames(names)};\r\n` +
      ` bh=${bodyHash};\r\n b=`;
    const data = Buffer.from(canonical + canonicalHeader(unsigned).trimEnd(), 'utf8');
    const signature = await signOnThreadPool(data, this.#key);
    return { name: 'DKIM-Signature', line: unsigned + foldedValue(signature) };
  }
}

/** Instances of one header are signed from the bottom up (RFC 6376 §5.4.2). */
function selectHeaders(lines: readonly HeaderLine[]): { names: string[]; canonical: string } {
  const names: string[] = [];
  let canonical = '';
  const keys = lines.map(({ name }) => name.toLowerCase());
  const take = (wanted: string): void => {
    for (let at = keys.lastIndexOf(wanted); at >= 0; at = at === 0 ? -1 : keys.lastIndexOf(wanted, at - 1)) {
      names.push(wanted);
      canonical += `${canonicalHeader(lines[at]!.line)}\r\n`;
    }
  };
  for (const wanted of OVERSIGNED) {
    take(wanted);
    names.push(wanted);
  }
  SIGNED_WHERE_PRESENT.forEach(take);
  return { names, canonical };
}

function signOnThreadPool(data: Buffer, key: KeyObject): Promise<string> {
  return new Promise((resolve, reject) => {
    sign('sha256', data, key, (error, signature) => (error ? reject(error) : resolve(signature.toString('base64'))));
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
