import { Injectable } from '@nestjs/common';
import { listDatabases, listEmailServices, listWebServices } from '@postern/contracts';
import type { Caller } from '../infrastructure/http/access/caller.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

/** A page of databases; a workspace with more shows the others when the page is opened. */
const DATABASES = 100;

/** The resources of a workspace, of whose changes its members hear. */
@Injectable()
export class WorkspaceTopics {
  constructor(private readonly services: ServiceClient) {}

  /** A service that does not respond adds nothing; the next call finds its resources. */
  async of(caller: Caller): Promise<ReadonlySet<string>> {
    const { userId: user_id, workspaceId: workspace_id } = caller;
    const [emailServices, webServices, databases] = await Promise.allSettled([
      this.services.request(listEmailServices, { workspace_id }, caller),
      this.services.request(listWebServices, { user_id, workspace_id }, caller),
      this.services.request(listDatabases, { workspace_id, limit: DATABASES }, caller),
    ]);
    return new Set([
      `workspaces/${workspace_id}`,
      ...valuesOf(emailServices, list => list.map(({ id }) => `email-services/${id}`)),
      ...valuesOf(webServices, list => list.map(({ id }) => `web-services/${id}`)),
      ...valuesOf(databases, ({ items }) => items.map(({ id }) => `databases/${id}`)),
    ]);
  }
}

const valuesOf = <Value>(settled: PromiseSettledResult<Value>, read: (value: Value) => string[]): string[] =>
  settled.status === 'fulfilled' ? read(settled.value) : [];
