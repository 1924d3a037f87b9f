import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, LONG_LIST_REFUSALS, longOffset, longPage, noContent, pageCursors, timestamp } from '../shapes.js';

const request = requestsOf('platform-management');

export const AUDIT_ACTORS = [
  'user',
  'platform_key',
  'management_key',
  'deploy_hook',
  'operator',
  'system',
  'unknown',
] as const;
export const AUDIT_OUTCOMES = ['attempted', 'succeeded', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

const actionName = z
  .string()
  .regex(/^[a-z_]+\.[a-z_]+$/)
  .max(100);

const actor = z.object({
  type: z.enum(AUDIT_ACTORS),
  id: z
    .string()
    .max(128)
    .nullable()
    .describe(
      'The user, platform key or deploy hook. Of an unknown login, a keyed hash. Null for `operator` and `system`.',
    ),
});

const resource = z.object({ type: z.string().max(64), id: z.string().max(256).nullable() });

const client = z.object({
  network: z.string().max(64).nullable().describe('The /24 of an IPv4 address, the /48 of an IPv6 address.'),
  user_agent: z.string().max(64).nullable().describe('The family of the program, such as `Firefox` or `curl`.'),
});

const outcome = z
  .enum(AUDIT_OUTCOMES)
  .describe('`attempted`: it was started, and its outcome is not known. It may have taken effect.');
const code = z.string().max(100).nullable().describe('Why it was refused or failed.');

export const auditEntry = z.object({
  id,
  at: timestamp,
  actor: actor.extend({
    name: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Email address of the user, name of the key, or web service of the deploy hook; null if it is not known any more.',
      ),
  }),
  action: z.string().describe('`<resource type>.<what happened>`, such as `email_service.created`.'),
  resource: resource.extend({
    name: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Its present name, or the one at its creation if it was deleted; of a deployment or one-off command, that of its web service. ' +
          'Null if the call was refused, and if it is not known any more.',
      ),
  }),
  workspace_id: id.nullable(),
  client,
  outcome,
  code,
  request_id: z.string(),
  times: z.int().describe('Refused logins and platform keys that repeat often within an hour share one entry.'),
});
export type AuditEntry = z.output<typeof auditEntry>;

/**
 * Records an action before it starts with the outcome `attempted`, and again with its outcome. The second request
 * stores the whole entry if the first one was lost; a final outcome is never replaced.
 */
export const recordAuditEntry = request('record-audit-entry', {
  request: z.object({
    entry_id: id,
    actor,
    /** Email address of a login, which the service replaces with the user's id or a keyed hash. */
    login: z.string().max(320).optional(),
    action: actionName,
    resource,
    workspace_id: id.nullable(),
    client,
    outcome,
    code,
    request_id: z.string().min(1).max(128),
    /** The number of equally refused calls that the entry represents. */
    times: z.int().min(1).optional(),
  }),
  reply: noContent,
  callers: ['api-gateway', 'operator'],
  deadlineMs: 5_000,
});
export type AuditRecord = z.input<typeof recordAuditEntry.request>;

const text = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    // PostgreSQL cannot store NUL.
    .refine(value => !value.includes('\0'), 'must not contain NUL');

/** The filters of the audit log. */
export const auditLogFilter = z.object({
  from: timestamp.optional().describe('The earliest time.'),
  to: timestamp.optional().describe('The time before which entries are returned.'),
  actor: text(128).optional().describe('The id of a user or key, or a type such as `operator`.'),
  action: text(100)
    .optional()
    .describe('An action such as `platform_key.deleted`, or a resource type such as `database`.'),
});

/**
 * Without `user_id`, the caller is an operator. A user sees the entries of the workspace; a user who is an operator sees
 * all.
 */
const reader = z.object({ user_id: id.optional(), workspace_id: id.optional() });

/** Newest first. */
export const listAuditLog = request('list-audit-log', {
  request: auditLogFilter.extend({
    ...reader.shape,
    limit: z.int().min(1).max(100).default(20),
    offset: longOffset,
    ...pageCursors,
  }),
  reply: longPage(auditEntry),
  refusals: LONG_LIST_REFUSALS,
  callers: ['api-gateway', 'operator'],
});

/** One step of an export, newest first. */
export const exportAuditLog = request('export-audit-log', {
  request: auditLogFilter.extend({
    ...reader.shape,
    cursor: z.string().max(100).nullable().describe('From the last reply; null to start.'),
  }),
  reply: z.object({ entries: z.array(auditEntry), cursor: z.string().nullable().describe('Null at the end.') }),
  refusals: { invalid_input: 400 },
  callers: ['api-gateway', 'operator'],
  deadlineMs: 10_000,
});
