import { waitFor } from '@postern/testing';
import { isRead, type Matrix } from './matrix.js';
import type { Operation } from './operations.js';
import type { TestUser } from './test-user.js';

/** Fields that change through background workers or reads. */
const VOLATILE = new Set([
  'last_used_at',
  'usage',
  'latest',
  'found',
  'ok',
  'problem',
  'last_checked_at',
  'next_check_at',
  'expires_at',
  'since',
]);
const UNFINISHED = /"status":"(creating|queued|building|releasing|deleting)"/;

/** The content of every list and resource of a user, after the background work of their creation has finished. */
export const stateOf = async (
  matrix: Matrix,
  operations: readonly Operation[],
  user: TestUser,
): Promise<Record<string, unknown>> => {
  const read = async () => {
    const state: Record<string, unknown> = {};
    for (const operation of operations) {
      if (!isRead(operation) || !['session', 'service-owner', 'workspace-member'].includes(operation.access)) continue;
      // The audit log and the logs of requests record refused calls too, and listeners expire.
      if (/metrics|logs|audit-log|webhook-listeners|\/requests$/.test(operation.path)) continue;
      const { body } = await matrix.read(operation, user);
      const isJson = /^[[{]/.test(body);
      const list: unknown = isJson ? JSON.parse(body, (key, value) => (VOLATILE.has(key) ? undefined : value)) : body;
      // Sessions are sorted by their last use.
      state[operation.path] = operation.path.endsWith('/sessions') && Array.isArray(list) ? byId(list) : list;
    }
    return UNFINISHED.test(JSON.stringify(state)) ? undefined : state;
  };
  return waitFor(read, { timeoutMs: 60_000, intervalMs: 500, describe: `the resources of ${user.name} to be created` });
};

const byId = (list: readonly { readonly id: string }[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
