import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../errors/problem.js';

/** The scheme's name is case-insensitive (RFC 9110 §11.1), the key is not. */
const FORM = /^[Bb][Ee][Aa][Rr][Ee][Rr] +(ak_live_[0-9A-Za-z]{43})$/;

/** The SHA-256 of the request's key; services never receive the key itself. Throws 401 if it is missing or malformed. */
export const platformKeyHashOf = (request: FastifyRequest): string => {
  const header = request.headers.authorization;
  if (header === undefined) throw unauthorized('The Authorization header is missing.');
  const key = FORM.exec(header)?.[1];
  if (key === undefined) throw unauthorized('The Authorization header must be "Bearer ak_live_…" with a valid key.');
  return hash('sha256', key, 'hex');
};

const unauthorized = (message: string): Problem => new Problem(401, message, { 'www-authenticate': 'Bearer' });
