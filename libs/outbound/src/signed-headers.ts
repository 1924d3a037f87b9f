import { createHmac } from 'node:crypto';

/** The headers of a signed JSON request: HMAC-SHA256 in hex over `timestamp.body`, with the time in Unix seconds. */
export const signedHeaders = (secret: string, body: string, timestampS: number): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'user-agent': 'Postern-Webhooks/1',
  'x-service-timestamp': String(timestampS),
  'x-service-signature': createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex'),
});
