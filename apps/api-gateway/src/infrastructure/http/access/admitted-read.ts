import { type AdmittedRead, Refusal } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';

/** A property of the request: a WeakMap would cause more garbage collection. */
const READ = Symbol('admitted read');

type Reading = FastifyRequest & { [READ]?: AdmittedRead };

export const setAdmittedRead = (request: Reading, read: AdmittedRead): void => {
  request[READ] = read;
};

/**
 * The data that platform-management read when it admitted the call; undefined if it read none.
 * @throws the refusal of the read.
 */
export const admittedReadOf = (request: Reading): { readonly reply: unknown } | undefined => {
  const read = request[READ];
  if (!read) return undefined;
  if ('ok' in read) return { reply: read.ok };
  const { code, message, details, status } = read.refusal;
  throw new Refusal(code, message, details, status);
};
