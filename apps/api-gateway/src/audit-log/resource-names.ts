import { Injectable } from '@nestjs/common';
import { type AuditEntry, nameEmailResources, nameWebhooks } from '@postern/contracts';
import type { Session } from '../infrastructure/http/access/session.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Adds the names of resources that platform-management, which has the audit log, does not know. */
@Injectable()
export class ResourceNames {
  constructor(private readonly services: ServiceClient) {}

  async addTo<Entry extends AuditEntry>(entries: readonly Entry[], session: Session): Promise<Entry[]> {
    const ids = [...new Set(entries.flatMap(unnamedIdOf))];
    if (ids.length === 0) return [...entries];
    const found = await Promise.all(
      [nameEmailResources, nameWebhooks].map(contract =>
        // While a service does not respond, its resources have no names: the log remains readable.
        this.services.request(contract, { ids }, session).catch(() => ({ resources: [] })),
      ),
    );
    const names = new Map(found.flatMap(({ resources }) => resources.map(({ id, name }) => [id, name] as const)));
    return entries.map(entry => {
      const name = unnamedIdOf(entry).map(id => names.get(id))[0];
      return name === undefined ? entry : { ...entry, resource: { ...entry.resource, name } };
    });
  }
}

/** A refused call may have named a resource of another workspace, whose name its caller must not see. */
const unnamedIdOf = ({ outcome, resource: { id, name } }: AuditEntry): readonly string[] =>
  outcome === 'succeeded' && !name && id !== null && UUID.test(id) ? [id] : [];
