import { Injectable } from '@nestjs/common';
import {
  listEmailProblems,
  listEmailServices,
  listPlatformProblems,
  listSenderProblems,
  listWebhookProblems,
  type Problem,
  type WorkspaceStatus,
} from '@postern/contracts';
import { RemoteFault, type RequestContext, ServiceUnavailable } from '@postern/messaging';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

type Found = Promise<{ readonly problems: readonly Problem[] }>;

/** Asks every service what is wrong in a workspace. A service that does not respond hides nothing of the others. */
@Injectable()
export class WorkspaceStatuses {
  constructor(private readonly services: ServiceClient) {}

  async of(workspaceId: string, context: RequestContext): Promise<WorkspaceStatus> {
    const workspace = { workspace_id: workspaceId };
    const services = this.services
      .request(listEmailServices, workspace, context)
      .then(all => all.map(({ id, name }) => ({ id, name })));
    const parts: Readonly<Record<string, Found>> = {
      'Web services and databases': this.services.request(listPlatformProblems, workspace, context),
      'Email services': this.services.request(listEmailProblems, workspace, context),
      Webhooks: services.then(of => this.services.request(listWebhookProblems, { services: of }, context)),
      Messages: services.then(of => this.services.request(listSenderProblems, { services: of }, context)),
    };
    const answers = await Promise.all(
      Object.entries(parts).map(([part, found]) =>
        found.then(({ problems }) => ({ part, problems })).catch(error => unanswered(part, error)),
      ),
    );
    const problems = answers.flatMap(answer => answer.problems ?? []).sort(byUrgency);
    const unchecked = answers.flatMap(({ part, problems: found }) => (found ? [] : [part]));
    return {
      ok: problems.length + unchecked.length === 0,
      summary: summaryOf(problems, unchecked),
      problems,
      unchecked,
    };
  }
}

const unanswered = (part: string, error: unknown): { readonly part: string; readonly problems?: undefined } => {
  if (error instanceof ServiceUnavailable || error instanceof RemoteFault) return { part };
  throw error;
};

/** Errors first, then the newest. */
const byUrgency = (a: Problem, b: Problem): number =>
  a.severity === b.severity
    ? Date.parse(b.since ?? EPOCH) - Date.parse(a.since ?? EPOCH)
    : a.severity === 'error'
      ? -1
      : 1;

const EPOCH = '1970-01-01T00:00:00.000Z';

const summaryOf = (problems: readonly Problem[], unchecked: readonly string[]): string => {
  const some = unchecked.length === 0 ? '' : ` Not checked now: ${unchecked.join(', ')}.`;
  if (problems.length > 0)
    return `${problems.length === 1 ? '1 thing needs' : `${problems.length} things need`} you.${some}`;
  return unchecked.length === 0 ? 'Everything works.' : `Nothing wrong was found.${some}`;
};
