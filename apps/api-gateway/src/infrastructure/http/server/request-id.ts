import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SAFE_TO_LOG = /^[A-Za-z0-9._:-]{1,128}$/;

/** The correlation id: the caller's `X-Request-Id` if it is safe to log, otherwise a new UUID. */
export const requestIdOf = (request: IncomingMessage): string => {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SAFE_TO_LOG.test(given) ? given : randomUUID();
};
