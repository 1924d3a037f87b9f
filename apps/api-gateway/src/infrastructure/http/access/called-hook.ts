import type { findDeployHook, ReplyOf } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';

/** The deploy hook of a call, and its owner. */
export type CalledHook = ReplyOf<typeof findDeployHook>;

const hooks = new WeakMap<FastifyRequest, CalledHook>();

export const setCalledHook = (request: FastifyRequest, hook: CalledHook): void => {
  hooks.set(request, hook);
};

/** The hook that admission found by the token in the URL; undefined for every other request. */
export const calledHookOf = (request: FastifyRequest): CalledHook | undefined => hooks.get(request);
