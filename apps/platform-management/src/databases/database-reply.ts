import type { DatabaseKind, DatabaseStatus } from './database.js';
import type { DatabaseLimits } from './database-plans.js';

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

/** A database as the contracts show one: never with its credentials. */
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

/** Limits in the words of events and contracts. */
export const limitsReply = ({ cpuMillicores, memoryBytes, storageBytes, connections }: DatabaseLimits) => ({
  cpu_millicores: cpuMillicores,
  memory_bytes: memoryBytes,
  storage_bytes: storageBytes,
  connections,
});
