import type { Database, DatabaseWithUsage } from '@postern/contracts';
import { api } from '../../api-client.js';
import { formatBytes, NO_VALUE } from '../../formatting.js';
import { useLoading } from '../../loading.js';

/** Loads the usage of one database separately, so that the list does not wait for it. */
export const DatabaseUsage = ({ of: { id, kind } }: { readonly of: Database }) => {
  const database = useLoading<DatabaseWithUsage | undefined>(
    async signal => (kind === 'relational' ? api.get(`/databases/${id}`, {}, signal) : undefined),
    [id],
  );
  const usage = database.value?.usage;
  if (!usage) return NO_VALUE;
  return (
    <>
      {Math.round(usage.cpu.millicores)} mCPU
      <p class="hint">{formatBytes(usage.memory.bytes)}</p>
    </>
  );
};
