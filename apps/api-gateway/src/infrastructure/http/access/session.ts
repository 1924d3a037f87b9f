import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { WorkspaceRole } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { type Caller, setCaller } from './caller.js';

/** The signed-in user and the active workspace. */
export interface Session extends Caller {
  /** The login address. */
  readonly email: string;
  readonly operator: boolean;
  /** The role of the user in the workspace. */
  readonly role: WorkspaceRole;
  /** Whether the user may only set up a second factor. */
  readonly secondFactorMissing?: boolean;
  readonly tokenHash: string;
}

/** A property of the request: a WeakMap would cause more garbage collection. */
const SESSION = Symbol('session');

type SignedIn = FastifyRequest & { [SESSION]?: Session };

export const setSession = (request: SignedIn, session: Session): void => {
  request[SESSION] = session;
  setCaller(request, session);
};

export const sessionOf = (request: SignedIn): Session => {
  const session = request[SESSION];
  if (!session) throw new Error('The route needs a session, but nobody authenticated the request.');
  return session;
};

/** Injects the session set by admission. */
export const CurrentSession = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  sessionOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
