import { z } from 'zod';
import { requestsOf } from './request.js';
import { id, timestamp } from './shapes.js';

/** What may need somebody in a workspace. */
export const problemKind = z.enum([
  'deployment_failed',
  'web_service_failed',
  'web_service_blocked',
  'web_service_suspended',
  'custom_domain_unverified',
  'custom_domain_certificate',
  'database_unavailable',
  'database_read_only',
  'database_nearly_full',
  'quota_nearly_reached',
  'email_service_disabled',
  'daily_limit_nearly_reached',
  'sending_domain_unverified',
  'sending_domain_records_lost',
  'sandbox_sender_used',
  'webhook_failing',
  'webhook_disabled',
]);
export type ProblemKind = z.output<typeof problemKind>;

export const problem = z.object({
  kind: problemKind,
  severity: z.enum(['error', 'warning']).describe('`error`: something does not work. `warning`: it soon may not.'),
  message: z.string().describe('What is wrong, in one sentence.'),
  fix: z.string().describe('What to do about it.'),
  page: z.string().describe('The page of the dashboard where to do it, below `/dashboard`.'),
  resource: z.object({
    type: z.enum([
      'email_service',
      'sending_domain',
      'webhook',
      'web_service',
      'custom_domain',
      'database',
      'workspace',
    ]),
    id,
    name: z.string(),
  }),
  since: timestamp.nullable().describe('Null if the time is not known.'),
});
export type Problem = z.output<typeof problem>;

const problems = z.object({ problems: z.array(problem) });

/** The share of a limit from which it is a problem. */
export const NEARLY_REACHED = 0.9;

/** Failed deployments, and web services, custom domains and databases that do not work, and quotas. */
export const listPlatformProblems = requestsOf('platform-management', ['api-gateway', 'email-send'])(
  'list-platform-problems',
  {
    request: z.object({ workspace_id: id }),
    reply: problems,
  },
);

/** Email services, their limits, and their sending domains. */
export const listEmailProblems = requestsOf('email-send', ['api-gateway'])('list-email-problems', {
  request: z.object({ workspace_id: id }),
  reply: problems,
});

const services = z.array(z.object({ id, name: z.string() })).max(1_000);

/** Webhooks that fail or were disabled. The gateway names the email services of the workspace. */
export const listWebhookProblems = requestsOf('webhook-dispatch', ['api-gateway', 'email-send'])(
  'list-webhook-problems',
  {
    request: z.object({ services }),
    reply: problems,
  },
);

/** Messages of the last 24 hours that left from the sandbox sender of a service in production. */
export const listSenderProblems = requestsOf('delivery-tracking', ['api-gateway', 'email-send'])(
  'list-sender-problems',
  {
    request: z.object({ services }),
    reply: problems,
  },
);

/** Whether something in a workspace needs somebody. */
export const workspaceStatus = z.object({
  ok: z.boolean().describe('Whether everything was checked and nothing is wrong.'),
  summary: z.string().describe('The state in one sentence.'),
  problems: z.array(problem).describe('Errors first, then warnings; the newest first.'),
  unchecked: z.array(z.string()).describe('The parts that could not be checked now, because they do not respond.'),
});
export type WorkspaceStatus = z.output<typeof workspaceStatus>;

type Found = Promise<{ readonly problems: readonly Problem[] }>;

/** The answers about the parts of a workspace. */
export interface PartsOfWorkspace {
  readonly platform: Found;
  readonly emailServices: Found;
  readonly webhooks: Found;
  readonly messages: Found;
}

/** The parts as readers know them. */
const PARTS: readonly (readonly [name: string, part: keyof PartsOfWorkspace])[] = [
  ['Web services and databases', 'platform'],
  ['Email services', 'emailServices'],
  ['Webhooks', 'webhooks'],
  ['Messages', 'messages'],
];

/**
 * The state of a workspace from the answers about its parts. A part that does not respond hides nothing of the others.
 * @param isUnanswered whether an error says that a service did not respond; other errors are thrown.
 */
export const workspaceStatusFrom = async (
  parts: PartsOfWorkspace,
  isUnanswered: (error: unknown) => boolean,
): Promise<WorkspaceStatus> =>
  workspaceStatusOf(
    await Promise.all(
      PARTS.map(async ([part, key]): Promise<CheckedPart> => {
        try {
          return { part, problems: (await parts[key]).problems };
        } catch (error) {
          if (isUnanswered(error)) return { part };
          throw error;
        }
      }),
    ),
  );

/** What one part of a workspace answered; no problems if it does not respond. */
interface CheckedPart {
  readonly part: string;
  readonly problems?: readonly Problem[];
}

const workspaceStatusOf = (parts: readonly CheckedPart[]): WorkspaceStatus => {
  const found = parts.flatMap(({ problems: of }) => of ?? []).sort(byUrgency);
  const unchecked = parts.flatMap(({ part, problems: of }) => (of ? [] : [part]));
  return {
    ok: found.length + unchecked.length === 0,
    summary: summaryOf(found, unchecked),
    problems: found,
    unchecked,
  };
};

const EPOCH = '1970-01-01T00:00:00.000Z';

/** Errors first, then the newest. */
const byUrgency = (a: Problem, b: Problem): number => {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1;
  return Date.parse(b.since ?? EPOCH) - Date.parse(a.since ?? EPOCH);
};

const summaryOf = (found: readonly Problem[], unchecked: readonly string[]): string => {
  const some = unchecked.length === 0 ? '' : ` Not checked now: ${unchecked.join(', ')}.`;
  if (found.length > 0) return `${found.length === 1 ? '1 thing needs' : `${found.length} things need`} you.${some}`;
  return unchecked.length === 0 ? 'Everything works.' : `Nothing wrong was found.${some}`;
};
