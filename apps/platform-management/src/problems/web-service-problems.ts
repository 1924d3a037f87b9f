import type { Problem } from '@postern/contracts';

export interface WebServiceRow {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly blocked_reason: string | null;
  readonly suspended_reason: string | null;
  readonly deployment_id: string | null;
  readonly deployment_status: string | null;
  readonly deployment_error: string | null;
  readonly finished_at: Date | null;
  readonly is_live: boolean;
  readonly is_preview: boolean;
}

/** A web service may have several: its latest deployment failed, and the version before it crashes. */
export const webServiceProblems = (row: WebServiceRow): Problem[] => {
  const flagged = flagProblem(row);
  return flagged ? [flagged] : [...deploymentProblems(row), ...crashProblems(row)];
};

/** Nobody but the author of a request depends on its preview. */
const severityOf = ({ is_preview }: WebServiceRow) => (is_preview ? 'warning' : 'error');

const resourceOf = ({ id, name }: WebServiceRow) => ({ type: 'web_service', id, name }) as const;

const flagProblem = (row: WebServiceRow): Problem | undefined => {
  const reason = row.blocked_reason ?? row.suspended_reason;
  if (reason === null) return undefined;
  const isBlocked = row.blocked_reason !== null;
  return {
    kind: isBlocked ? 'web_service_blocked' : 'web_service_suspended',
    severity: 'error',
    message: `The web service “${row.name}” is ${isBlocked ? 'blocked' : 'suspended'}${reason === '' ? '' : `: ${firstLineOf(reason)}`}.`,
    fix: 'Ask the operator of this installation.',
    page: `/web-services/${row.id}`,
    resource: resourceOf(row),
    since: null,
  };
};

const deploymentProblems = (row: WebServiceRow): Problem[] => {
  if (row.deployment_status !== 'failed') return [];
  const consequence = consequenceOf(row);
  const reason = row.deployment_error === null ? '' : `: ${firstLineOf(row.deployment_error)}`;
  return [
    {
      kind: 'deployment_failed',
      severity: severityOf(row),
      message: `The latest deployment of “${row.name}” failed${reason}. ${consequence}`,
      fix: 'Read its log, repair the cause, and deploy again.',
      page: `/web-services/${row.id}/deployments/${row.deployment_id}`,
      resource: resourceOf(row),
      since: row.finished_at?.toISOString() ?? null,
    },
  ];
};

const consequenceOf = ({ is_live, status }: WebServiceRow): string => {
  if (!is_live) return 'No version of it has been live so far.';
  return status === 'running' ? 'The version before it is still live.' : 'No version of it is running now.';
};

/** A failed first deployment is the problem, and not the status that follows from it. */
const crashProblems = (row: WebServiceRow): Problem[] => {
  const isDown = row.status === 'failed' && (row.deployment_status !== 'failed' || row.is_live);
  const isCrashing = row.status === 'running' && row.status_reason !== null;
  if (!isDown && !isCrashing) return [];
  const reason = row.status_reason === null ? '' : `: ${firstLineOf(row.status_reason)}`;
  return [
    {
      kind: 'web_service_failed',
      severity: severityOf(row),
      message: `The web service “${row.name}” ${isDown ? 'does not run' : 'keeps crashing'}${reason}.`,
      fix: 'Read its log. Roll back if a deployment caused it.',
      page: `/web-services/${row.id}/logs`,
      resource: resourceOf(row),
      since: null,
    },
  ];
};

/** The following lines are output of a build or an instance, which the page of the problem shows. */
const firstLineOf = (reason: string): string => (reason.split('\n', 1)[0] ?? '').replace(/[.:]$/, '').slice(0, 300);
