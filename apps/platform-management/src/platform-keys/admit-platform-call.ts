import {
  admitPlatformCall,
  includesRole,
  type PlatformOperation,
  Refusal,
  type ReplyOf,
  type RequestOf,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { AdmittedReads } from './admitted-reads.js';
import { CallLimit } from './call-limit.js';
import { type AdmittedKey, type CountedCall, PlatformCalls } from './platform-calls.js';
import type { PlatformKeyScope } from './platform-key.js';

/** Authenticates and rate-limits a call of the platform API in one query, and answers its read request. */
@Handles(admitPlatformCall)
export class AdmitPlatformCall {
  constructor(
    private readonly calls: PlatformCalls,
    private readonly limit: CallLimit,
    private readonly reads: AdmittedReads,
  ) {}

  async execute({
    key_hash,
    required,
    operation,
    role,
    read: requested,
  }: RequestOf<typeof admitPlatformCall>): Promise<ReplyOf<typeof admitPlatformCall>> {
    const call = await this.calls.admit(key_hash, this.limit.perMinute);
    const isRestricted = call?.key.projects !== null || call.key.operations !== null;
    if (!call || call.refused || (isRestricted && operation === undefined))
      throw new Refusal('platform_key_invalid', 'the platform key is invalid, expired or revoked', ofKey(call));
    const rate_limit = this.#rateLimit(call);
    if (rate_limit && call.used > rate_limit.limit) {
      throw new Refusal('rate_limit_reached', `the limit of ${rate_limit.limit} requests per minute is reached`, {
        rate_limit,
        retry_after_s: Math.max(1, rate_limit.reset_s),
      });
    }
    const { key } = call;
    const scope = effectiveScopeOf(key);
    if (required === 'write' && scope !== 'write') {
      throw new Refusal('insufficient_scope', 'the platform key is read-only', {
        required,
        actual: scope,
        ...ofKey(call),
        ...(rate_limit ? { rate_limit } : {}),
      });
    }
    if (!includesRole(key.role, role)) {
      throw new Refusal(
        'operation_not_allowed',
        `the role of the key's user in the workspace, ${key.role}, does not allow this`,
        {
          ...ofKey(call),
          ...(rate_limit ? { rate_limit } : {}),
        },
      );
    }
    if (operation !== undefined && !permits(key, operation)) {
      throw new Refusal('operation_not_allowed', `the platform key is restricted and does not allow ${operation}`, {
        required: operation,
        ...ofKey(call),
        ...(rate_limit ? { rate_limit } : {}),
      });
    }
    // Databases belong to the workspace, so that a change concerns every project.
    if (operation === 'databases:write' && key.projects !== null) {
      throw new Refusal(
        'operation_not_allowed',
        'a platform key that is restricted to projects cannot change databases',
        {
          required: operation,
          ...ofKey(call),
          ...(rate_limit ? { rate_limit } : {}),
        },
      );
    }
    const read = requested && (await this.reads.get(requested, key));
    return {
      caller: {
        user_id: key.userId,
        workspace_id: key.workspaceId,
        key: {
          id: key.id,
          name: key.name,
          key_prefix: key.keyPrefix,
          scope,
          expiry: key.expiresAt?.toISOString() ?? null,
          ...(key.projects ? { projects: [...key.projects] } : {}),
          ...(key.operations ? { operations: [...key.operations] } : {}),
        },
        ...(key.projects ? { project_ids: [...key.projects] } : {}),
      },
      rate_limit,
      ...(read ? { read } : {}),
    };
  }

  #rateLimit({ used, resetS }: CountedCall) {
    const limit = this.limit.perMinute;
    return limit > 0 ? { limit, remaining: Math.max(0, limit - used), reset_s: resetS } : null;
  }
}

/** The key of a viewer only reads, whatever its own scope is. */
const effectiveScopeOf = ({ scope, role }: AdmittedKey): PlatformKeyScope =>
  includesRole(role, 'member') ? scope : 'read';

/** Details of a refused but known key, for the audit log. */
const ofKey = (call: CountedCall | undefined): Readonly<Record<string, unknown>> =>
  call
    ? {
        refused_key: { id: call.key.id, workspace_id: call.key.workspaceId },
        ...(call.refused ? { reason: call.refused } : {}),
      }
    : {};

/** `write` includes `read`; every key may read its own properties. */
const permits = ({ operations }: AdmittedKey, operation: PlatformOperation | 'own-key'): boolean =>
  operations === null ||
  operation === 'own-key' ||
  operations.includes(operation) ||
  operations.includes(operation.replace(/:read$/, ':write') as PlatformOperation);
