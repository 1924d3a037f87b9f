import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type ActingUser, rememberActingUser } from '../acting-user.js';

/** Who is signed in, and in which workspace they act. */
export interface Session extends ActingUser {
  /** The login address. */
  readonly email: string;
  readonly operator: boolean;
  readonly tokenHash: string;
}

const sessions = new WeakMap<FastifyRequest, Session>();

export const rememberSession = (request: FastifyRequest, session: Session): void => {
  sessions.set(request, session);
  rememberActingUser(request, session);
};

export const sessionOf = (request: FastifyRequest): Session => {
  const session = sessions.get(request);
  if (!session) throw new Error('A handler asks for a session that no guard has established.');
  return session;
};

/** The session that `SessionGuard` has established. */
export const SignedIn = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  sessionOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Only this crosses NATS, never the token itself. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');
