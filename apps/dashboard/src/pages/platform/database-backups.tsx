import type { Database, DatabaseBackup, DatabaseBackupWithRestore, DatabaseRestore } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { formatBytes, NO_VALUE } from '../../formatting.js';
import { useLoading } from '../../loading.js';

/** The backups of a database, and their actions. */
export const DatabaseBackups = ({ of: database, path }: { readonly of: Database; readonly path: string }) => {
  const url = `${path}/backups`;
  const backups = useLoading<readonly DatabaseBackupWithRestore[]>(signal => api.get(url, {}, signal), [url]);
  useLive(backups, path.slice(1));
  const backUp = async () => {
    await api.post(url);
    backups.reload();
  };
  const restore = async ({ id }: DatabaseBackupWithRestore) => {
    await api.post(`${url}/${id}/restore`);
    backups.reload();
  };
  return (
    <Section
      title="Backups"
      about="Created regularly while the database runs; it stays available. Backups are deleted with the database."
      actions={<ActionButton work={backUp}>Create backup</ActionButton>}
    >
      <Loaded of={backups}>{list => <Backups list={list} name={database.name} restore={restore} />}</Loaded>
    </Section>
  );
};

interface BackupsProps {
  readonly list: readonly DatabaseBackupWithRestore[];
  readonly name: string;
  readonly restore: (backup: DatabaseBackupWithRestore) => Promise<void>;
}

const Backups = ({ list, name, restore }: BackupsProps) =>
  list.length === 0 ? (
    <EmptyState>No backups yet. Create one above, or wait for the next scheduled backup.</EmptyState>
  ) : (
    <DataTable
      caption="Backups of this database, newest first"
      rows={list}
      keyOf={backup => backup.id}
      columns={[
        { title: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
        { title: 'Kind', cell: ({ scheduled }) => (scheduled ? 'Scheduled' : 'Requested') },
        { title: 'Status', cell: ({ status, error }) => <State status={status} error={error} /> },
        {
          title: 'Size',
          numeric: true,
          cell: ({ size_bytes }) => (size_bytes === null ? NO_VALUE : formatBytes(size_bytes)),
        },
        {
          title: 'Last restore',
          cell: ({ last_restore }) =>
            last_restore ? <State status={last_restore.status} error={last_restore.error} /> : NO_VALUE,
        },
        {
          title: 'Actions',
          buttons: true,
          cell: backup =>
            backup.status === 'completed' && (
              <ConfirmButton
                question={`Restore “${name}” from this backup?`}
                consequence="Everything stored since the backup is lost. All client connections are closed. Address and password stay the same."
                confirm="Restore backup"
                work={() => restore(backup)}
              >
                Restore
              </ConfirmButton>
            ),
        },
      ]}
    />
  );

interface StateProps {
  readonly status: DatabaseBackup['status'] | DatabaseRestore['status'];
  readonly error: string | null;
}

const State = ({ status, error }: StateProps) => (
  <>
    <Badge status={status} />
    {error && <p class="hint long">{error}</p>}
  </>
);
