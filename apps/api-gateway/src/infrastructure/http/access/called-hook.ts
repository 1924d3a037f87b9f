import type { findDeployHook, ReplyOf } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';

/** The deploy hook of a call, and whose it is. */
export type CalledHook = ReplyOf<typeof findDeployHook>;

const hooks = new WeakMap<FastifyRequest, CalledHook>();

export const setCalledHook = (request: FastifyRequest, hook: CalledHook): void => {
  hooks.set(request, hook);
};

/** The hook whose token admission has found in the URL; undefined for every other request. */
export const calledHookOf = (request: FastifyRequest): CalledHook | undefined => hooks.get(request);
