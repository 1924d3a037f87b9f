import { randomUUID } from 'node:crypto';
import { type AuditRecord, Refusal, recordAuditEntry } from '@postern/contracts';
import { runInContext, ServiceUnavailable } from '@postern/messaging';
import { UsageError } from '../errors.js';
import type { AuditedCommand } from './audited-commands.js';
import type { Operator } from './operator.js';

interface Invocation {
  readonly audited: AuditedCommand;
  readonly rest: readonly string[];
  /** Whether the command runs even if it cannot be recorded. */
  readonly unaudited: boolean;
}

type Run = (operator: Operator, rest: readonly string[]) => Promise<boolean>;

const ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Records the command in the audit log before it starts, and its outcome afterwards. */
export const recorded = (operator: Operator, { audited, rest, unaudited }: Invocation, run: Run): Promise<boolean> => {
  const correlationId = randomUUID();
  return runInContext({ correlationId, actor: 'operator' }, async () => {
    let entry = attemptOf(audited, rest, correlationId);
    await begin(operator, entry, unaudited);
    const affects = (id: string) => {
      entry = { ...entry, resource: { ...entry.resource, id } };
    };
    try {
      const done = await run({ ...operator, affects }, rest);
      await complete(operator, { ...entry, ...(done ? SUCCEEDED : INCOMPLETE) });
      return done;
    } catch (error) {
      await complete(operator, { ...entry, ...outcomeOf(error) });
      throw error;
    }
  });
};

const SUCCEEDED = { outcome: 'succeeded', code: null } as const;
const INCOMPLETE = { outcome: 'failed', code: 'incomplete' } as const;

const attemptOf = ({ action, idFrom }: AuditedCommand, rest: readonly string[], requestId: string): AuditRecord => {
  const id = idFrom?.(rest);
  return {
    entry_id: randomUUID(),
    actor: { type: 'operator', id: null },
    action,
    resource: { type: action.split('.', 1)[0]!, id: id !== undefined && ID.test(id) ? id : null },
    workspace_id: null,
    client: { network: null, user_agent: 'postern' },
    outcome: 'attempted',
    code: null,
    request_id: requestId,
  };
};

const begin = async ({ requests, print }: Operator, entry: AuditRecord, unaudited: boolean): Promise<void> => {
  try {
    await requests.request(recordAuditEntry, entry);
  } catch (error) {
    const reason = `The audit log could not record the command (${(error as Error).message})`;
    if (!unaudited) throw new Error(`${reason}, so it was not run. Start platform-management, or add --unaudited.`);
    print(`${reason}. It runs unrecorded.`);
  }
};

const complete = async ({ requests, print }: Operator, entry: AuditRecord): Promise<void> => {
  try {
    await requests.request(recordAuditEntry, entry);
  } catch (error) {
    print(`The audit log could not record the outcome: ${(error as Error).message}`);
  }
};

/** A request that timed out may have succeeded, so the entry stays `attempted`. */
const outcomeOf = (error: unknown): Pick<AuditRecord, 'outcome' | 'code'> => {
  if (error instanceof Refusal) return { outcome: 'refused', code: error.code };
  if (error instanceof UsageError) return { outcome: 'refused', code: 'invalid_input' };
  if (error instanceof ServiceUnavailable) {
    return { outcome: error.maybeExecuted ? 'attempted' : 'failed', code: 'service_unavailable' };
  }
  return { outcome: 'failed', code: 'command_failed' };
};
