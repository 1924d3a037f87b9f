import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClosedReason } from '@postern/load-balancer-client';
import { MAX_RESPONSE_HEADER_BYTES } from './backend-target.js';
import { hasBody } from './lazy-body.js';

/** A response that the load balancer itself sends to a client, instead of one of a backend. */
export interface ErrorPage {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export const CLOSED: Record<ClosedReason, ErrorPage> = {
  not_deployed: {
    status: 503,
    title: 'This service has not been deployed yet',
    message: 'No version of it has been live so far. Its owner sees the state of its deployment in the dashboard.',
    retryAfterSeconds: 10,
  },
  stopped: {
    status: 503,
    title: 'This service is stopped',
    message: 'It is unavailable until it is started again.',
    retryAfterSeconds: 60,
  },
  blocked: {
    status: 503,
    title: 'This service is blocked',
    message: 'An administrator of the platform has blocked it.',
    retryAfterSeconds: 3_600,
  },
  suspended: {
    status: 503,
    title: 'This service is suspended',
    message: 'It exceeded its usage limit.',
    retryAfterSeconds: 3_600,
  },
  asleep: {
    status: 503,
    title: 'This service is still starting',
    message: 'Its instances end when there are no requests, and start with the next one. Try again in a moment.',
    retryAfterSeconds: 5,
  },
};

export const NO_BACKEND: ErrorPage = {
  status: 503,
  title: 'This service is not running',
  message: 'It is starting, or its instances have crashed and are being restarted. Try again in a moment.',
  retryAfterSeconds: 5,
};

export const UNREACHABLE: ErrorPage = {
  status: 502,
  title: 'This service did not answer',
  message: 'The connection to its instance failed before the response began. Try again in a moment.',
};

export const TOO_SLOW: ErrorPage = {
  status: 504,
  title: 'This service took too long',
  message: 'Its instance did not start to respond in time.',
};

const TOO_LARGE_HEADERS: ErrorPage = {
  status: 502,
  title: 'This service sent too many headers',
  message: `Its instance answered with response headers larger than ${MAX_RESPONSE_HEADER_BYTES / 1_024} KiB.`,
};

const FAILURES: Readonly<Record<string, ErrorPage>> = {
  UND_ERR_HEADERS_TIMEOUT: TOO_SLOW,
  ETIMEDOUT: TOO_SLOW,
  UND_ERR_HEADERS_OVERFLOW: TOO_LARGE_HEADERS,
  HPE_HEADER_OVERFLOW: TOO_LARGE_HEADERS,
};

/** The page for a request to a backend that failed with this error code. */
export const failurePage = (code: string | undefined): ErrorPage => FAILURES[code ?? ''] ?? UNREACHABLE;

export const NO_SUCH_HOST: ErrorPage = {
  status: 404,
  title: 'There is no service here',
  message: 'No web service uses this host name.',
};

export const UNCLEAR_TARGET: ErrorPage = {
  status: 400,
  title: 'Invalid request',
  message: 'It must have exactly one host and one path.',
};

/** Sends the page as HTML to browsers and as plain text to other clients. */
export const sendErrorPage = (request: IncomingMessage, response: ServerResponse, page: ErrorPage): void => {
  const { type, body } = rendered(page, request.headers.accept);
  response.writeHead(page.status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...(page.retryAfterSeconds === undefined ? {} : { 'Retry-After': page.retryAfterSeconds }),
    // Otherwise the unread body would have to be consumed before the next request on the connection.
    ...(request.complete || !hasBody(request) ? {} : { Connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
};

const rendered = ({ title, message }: ErrorPage, accept = ''): { type: string; body: string } =>
  accept.includes('text/html')
    ? { type: 'text/html; charset=utf-8', body: htmlOf(title, message) }
    : { type: 'text/plain; charset=utf-8', body: `${title}. ${message}\n` };

const htmlOf = (title: string, message: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1.5rem}h1{font-size:1.4rem}</style>
</head><body><h1>${title}</h1><p>${message}</p></body></html>
`;
