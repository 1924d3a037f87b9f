import type { FastifyRequest } from 'fastify';

/** A property of the request: a WeakMap would cause more garbage collection. */
const SENT = Symbol('sent email');

type Sending = FastifyRequest & { [SENT]?: string };

/** Notes the message that a request sent, for the log of requests. */
export const noteSentEmail = (request: Sending, emailId: string): void => {
  request[SENT] = emailId;
};

export const sentEmailOf = (request: Sending): string | undefined => request[SENT];
