import type { WebhookEvent } from '../api-types.js';
import { PosternError } from '../errors.js';

/** Why the call of a webhook was rejected. */
export type VerificationFailure =
  | 'missing_headers'
  | 'timestamp_out_of_tolerance'
  | 'wrong_signature'
  | 'malformed_body';

/** The call was not signed by Postern with this secret, or is too old. Answer it with 401. */
export class WebhookVerificationError extends PosternError {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly reason: VerificationFailure,
    message: string,
  ) {
    super(message);
  }
}

/** Headers of a request: an instance of `Headers`, or an object as Node.js has it. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The signing secret, with its prefix `whsec_`. Several while you change the secret. */
  readonly secret: string | readonly string[];
  /** How many seconds the timestamp may differ from the clock; 300 by default. */
  readonly toleranceS?: number;
  /** The current time in milliseconds. */
  readonly now?: number;
}

export interface WebhookCall extends VerifyOptions {
  /** The raw body, exactly as it arrived; a body that was parsed and serialized again does not verify. */
  readonly body: string | Uint8Array;
  readonly headers: WebhookHeaders;
}

/**
 * Verifies the call of a webhook and returns its event. The signature is compared in constant time.
 * @throws WebhookVerificationError if the call is not signed with the secret, or is older than the tolerance.
 */
export const verifyWebhook = async ({
  body,
  headers,
  secret,
  toleranceS = 300,
  now = Date.now(),
}: WebhookCall): Promise<WebhookEvent> => {
  const timestamp = headerOf(headers, 'x-service-timestamp');
  const signature = headerOf(headers, 'x-service-signature');
  if (timestamp === undefined || signature === undefined) {
    throw new WebhookVerificationError(
      'missing_headers',
      'The headers X-Service-Timestamp and X-Service-Signature are missing.',
    );
  }
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > toleranceS) {
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `X-Service-Timestamp differs from the clock by more than ${toleranceS} seconds.`,
    );
  }
  const raw = typeof body === 'string' ? encoder.encode(body) : body;
  if (!(raw instanceof Uint8Array)) {
    throw new PosternError('The body must be the raw bytes or text of the request, not a parsed object.');
  }
  const signed = joined(encoder.encode(`${timestamp}.`), raw);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const matches = await Promise.all(secrets.map(one => isSignedWith(one, signature, signed)));
  if (!matches.includes(true)) {
    throw new WebhookVerificationError(
      'wrong_signature',
      'X-Service-Signature does not match the body and the secret.',
    );
  }
  return eventOf(raw);
};

/** `postern.webhooks`. */
export const webhooks = { verify: verifyWebhook } as const;

const encoder = new TextEncoder();
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/** WebCrypto compares in constant time. */
const isSignedWith = async (secret: string, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> => {
  if (secret === '') throw new PosternError('The signing secret is empty.');
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), HMAC, false, ['verify']);
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], hex => Number.parseInt(hex, 16));
  return crypto.subtle.verify('HMAC', key, bytes, signed);
};

const joined = (head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(head.length + body.length);
  both.set(head);
  both.set(body, head.length);
  return both;
};

const eventOf = (raw: Uint8Array): WebhookEvent => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('malformed_body', 'The body is not JSON.');
  }
};

const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  const value: unknown = Array.isArray(entry?.[1]) ? entry[1][0] : entry?.[1];
  return typeof value === 'string' ? value : undefined;
};
