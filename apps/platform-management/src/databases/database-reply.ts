import type { DatabaseLimits } from '@postern/contracts/database-plans';
import type { DatabaseKind, DatabaseStatus } from './database.js';
import type { Attachment } from './ports.js';

interface DatabaseFacts {
  readonly id: string;
  readonly name: string;
  readonly kind: DatabaseKind;
  readonly status: DatabaseStatus;
  readonly statusReason: string | undefined;
  readonly plan: string;
  readonly limits: DatabaseLimits;
  readonly host: string;
  readonly createdAt: Date;
}

/** Maps a database to the reply of the contracts, without credentials. */
export const databaseReply = (facts: DatabaseFacts) => ({
  id: facts.id,
  name: facts.name,
  kind: facts.kind,
  status: facts.status,
  status_reason: facts.statusReason ?? null,
  plan: facts.plan,
  limits: limitsReply(facts.limits),
  hostnames: [facts.host],
  created_at: facts.createdAt.toISOString(),
});

/** Maps limits to the field names of events and contracts. */
export const limitsReply = ({ cpuMillicores, memoryBytes, storageBytes, connections }: DatabaseLimits) => ({
  cpu_millicores: cpuMillicores,
  memory_bytes: memoryBytes,
  storage_bytes: storageBytes,
  connections,
});

export const attachmentReply = ({ id, databaseId, webServiceId, variable, createdAt }: Attachment) => ({
  id,
  database_id: databaseId,
  web_service_id: webServiceId,
  variable,
  created_at: createdAt.toISOString(),
});
