import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { platformKey } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Asker } from '../../ports.js';

/** On whose behalf a request acts, whether a platform key or a session says so. */
export interface ActingUser extends Asker {
  readonly userId: string;
  readonly workspaceId: string;
  /** What a program shows; absent for a session of the dashboard. */
  readonly platformKey?: z.output<typeof platformKey>;
}

const users = new WeakMap<FastifyRequest, ActingUser>();

export const rememberActingUser = (request: FastifyRequest, user: ActingUser): void => {
  users.set(request, user);
};

/** Who acts, as the admission of the platform API or `SessionGuard` found. */
export const Acting = createParamDecorator((_data: unknown, context: ExecutionContext): ActingUser => {
  const user = users.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (!user) throw new Error('A handler asks who acts where nobody has asked for credentials.');
  return user;
});
