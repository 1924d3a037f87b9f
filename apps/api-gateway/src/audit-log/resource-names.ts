import { Injectable } from '@nestjs/common';
import { type AuditEntry, NAME_RESOURCES, unnamedResourcesOf, withResourceNames } from '@postern/contracts';
import type { Session } from '../infrastructure/http/access/session.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

/** Adds the names of resources that platform-management, which has the audit log, does not know. */
@Injectable()
export class ResourceNames {
  constructor(private readonly services: ServiceClient) {}

  async addTo<Entry extends AuditEntry>(entries: readonly Entry[], session: Session): Promise<Entry[]> {
    const ids = unnamedResourcesOf(entries);
    if (ids.length === 0) return [...entries];
    // While a service does not respond, its resources have no names: the log remains readable.
    const replies = NAME_RESOURCES.map(contract =>
      this.services.request(contract, { ids }, session).catch(() => ({ resources: [] })),
    );
    return withResourceNames(entries, await Promise.all(replies));
  }
}
