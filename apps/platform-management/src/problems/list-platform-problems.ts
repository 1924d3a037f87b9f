import { listPlatformProblems, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { type CertificateRow, certificateProblems } from './certificate-problems.js';
import { type DatabaseRow, databaseProblem } from './database-problem.js';
import { type DomainRow, domainProblem } from './domain-problem.js';
import {
  FIND_CERTIFICATES,
  FIND_TROUBLED_DATABASES,
  FIND_UNVERIFIED_DOMAINS,
  FIND_WEB_SERVICES,
} from './problems.sql.js';
import { quotaProblems } from './quota-problems.js';
import { type WebServiceRow, webServiceProblems } from './web-service-problems.js';

/** Lists what is wrong with the web services and databases of a workspace. */
@Handles(listPlatformProblems)
export class ListPlatformProblems {
  constructor(
    private readonly database: Database,
    private readonly usage: WorkspaceUsage,
  ) {}

  async execute({
    workspace_id,
  }: RequestOf<typeof listPlatformProblems>): Promise<ReplyOf<typeof listPlatformProblems>> {
    const [services, domains, certificates, databases, overrides, used] = await Promise.all([
      this.#find<WebServiceRow>(FIND_WEB_SERVICES, workspace_id),
      this.#find<DomainRow>(FIND_UNVERIFIED_DOMAINS, workspace_id),
      this.#find<CertificateRow>(FIND_CERTIFICATES, workspace_id),
      this.#find<DatabaseRow>(FIND_TROUBLED_DATABASES, workspace_id),
      this.usage.overridesOf(workspace_id),
      this.usage.usageOf(workspace_id),
    ]);
    return {
      problems: [
        ...services.flatMap(webServiceProblems),
        ...databases.map(databaseProblem),
        ...domains.map(domainProblem),
        ...certificates.flatMap(row => certificateProblems(row)),
        ...quotaProblems(workspace_id, overrides, used),
      ],
    };
  }

  async #find<Row extends object>(text: string, workspaceId: string): Promise<readonly Row[]> {
    return (await this.database.reads.query<Row>({ text, values: [workspaceId] })).rows;
  }
}
