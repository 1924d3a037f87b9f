import { verify, X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isJsonObject, Refusal } from '@postern/contracts';
import { SnsDocuments } from './ports.js';
import { invalidEvent, invalidSignature } from './provider-refusals.js';
import type { Json } from './provider-values.js';

/** The host of a region: only Amazon can serve a document there. */
const HOST = /^sns\.[a-z0-9-]{4,40}\.amazonaws\.com(?:\.cn)?$/;
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const ALGORITHMS: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' };
const MAX_CERTIFICATES = 50;

/** A message whose signature Amazon SNS has made. */
export interface SnsMessage {
  readonly type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';
  readonly message: string;
  readonly topicArn: string;
  readonly timestamp: string;
  /** Only of confirmations. */
  readonly subscribeUrl?: URL;
}

/** Verifies messages of Amazon SNS with the certificate that they name, which must be at a host of SNS. */
@Injectable()
export class SnsMessages {
  readonly #certificates = new Map<string, X509Certificate>();

  constructor(private readonly documents: SnsDocuments) {}

  /** Refuses `invalid_signature`, `invalid_event`, and `provider_unavailable` if the certificate cannot be read. */
  async verified(call: unknown): Promise<SnsMessage> {
    if (!isJsonObject(call) || typeof call['Type'] !== 'string' || !Object.hasOwn(SIGNED, call['Type'])) {
      throw invalidEvent(
        'Type: the body is not a message of Amazon SNS. Turn off "raw message delivery" of the subscription.',
      );
    }
    const algorithm = ALGORITHMS[String(call['SignatureVersion'])];
    if (!algorithm) throw invalidSignature('SignatureVersion: must be 1 or 2');
    const certificate = await this.#certificateAt(urlIn(call, 'SigningCertURL', '.pem'));
    const signature = Buffer.from(String(call['Signature'] ?? ''), 'base64');
    if (!verify(algorithm, Buffer.from(signedText(call)), certificate.publicKey, signature)) {
      throw invalidSignature('Signature: does not match the certificate of Amazon SNS');
    }
    const type = call['Type'] as SnsMessage['type'];
    return {
      type,
      message: String(call['Message']),
      topicArn: String(call['TopicArn']),
      timestamp: String(call['Timestamp']),
      ...(type === 'Notification' ? {} : { subscribeUrl: urlIn(call, 'SubscribeURL') }),
    };
  }

  /** Confirms the subscription. */
  async confirm({ subscribeUrl }: SnsMessage): Promise<void> {
    if (subscribeUrl) await this.#read(subscribeUrl);
  }

  async #certificateAt(url: URL): Promise<X509Certificate> {
    const known = this.#certificates.get(url.href);
    if (known && isValidNow(known)) return known;
    const pem = await this.#read(url);
    let certificate: X509Certificate;
    try {
      certificate = new X509Certificate(pem);
    } catch {
      throw invalidSignature('SigningCertURL: the document is not a certificate');
    }
    if (!isValidNow(certificate)) throw invalidSignature('SigningCertURL: the certificate has expired');
    if (this.#certificates.size >= MAX_CERTIFICATES) this.#certificates.clear();
    this.#certificates.set(url.href, certificate);
    return certificate;
  }

  async #read(url: URL): Promise<string> {
    try {
      return await this.documents.get(url);
    } catch (error) {
      throw new Refusal('provider_unavailable', `${url.host} cannot be read: ${(error as Error).message}`, {
        retry_after_s: 30,
      });
    }
  }
}

const isValidNow = ({ validFrom, validTo }: X509Certificate): boolean =>
  Date.parse(validFrom) <= Date.now() && Date.now() < Date.parse(validTo);

/** Each signed field that is there, with its name, on lines of their own. */
const signedText = (call: Json): string =>
  SIGNED[call['Type'] as string]!.filter(name => typeof call[name] === 'string')
    .map(name => `${name}\n${call[name] as string}\n`)
    .join('');

function urlIn(call: Json, name: string, ending = ''): URL {
  const url = URL.parse(String(call[name] ?? ''));
  const isAmazon =
    url?.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    HOST.test(url.hostname);
  if (!url || !isAmazon || !url.pathname.endsWith(ending)) {
    throw invalidSignature(`${name}: must be an https URL at sns.<region>.amazonaws.com`);
  }
  return url;
}
