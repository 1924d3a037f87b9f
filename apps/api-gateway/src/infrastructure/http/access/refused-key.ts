import { Refusal } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';

/** Why a platform key was refused, and its owner if known. */
export interface RefusedKey {
  readonly code: string;
  readonly key?: { readonly id: string; readonly workspace_id: string };
}

const CODES: ReadonlySet<string> = new Set(['platform_key_invalid', 'insufficient_scope', 'operation_not_allowed']);
const refused = new WeakMap<FastifyRequest, RefusedKey>();

/** Records why the platform key of a request was refused, for the audit log. */
export const noteRefusedKey = (request: FastifyRequest, error: unknown): void => {
  if (!Refusal.is(error) || !CODES.has(error.code)) return;
  const { refused_key: key, reason } = error.details;
  refused.set(request, {
    code: typeof reason === 'string' ? reason : error.code,
    ...(key ? { key: key as NonNullable<RefusedKey['key']> } : {}),
  });
};

export const refusedKeyOf = (request: FastifyRequest): RefusedKey | undefined => refused.get(request);
