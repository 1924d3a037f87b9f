import type { DatabaseBackup, DatabaseBackupWithRestore, DatabaseRestore } from '@postern/contracts';
import { api } from '../api-client.js';
import { useLive } from '../changes.js';
import { formatBytes, NO_VALUE } from '../formatting.js';
import { useLoading } from '../loading.js';
import { ActionButton, ConfirmButton } from './action-button.js';
import { Badge } from './badge.js';
import { DataTable } from './data-table.js';
import { Loaded } from './loaded.js';
import { EmptyState, Section } from './page.js';
import { Time } from './time.js';

type Backup = Omit<DatabaseBackupWithRestore, 'database_id'>;

interface BackupsSectionProps {
  readonly title: string;
  readonly about: string;
  /** What is restored, in the table and the question. */
  readonly name: string;
  /** What a restore does. */
  readonly consequence: string;
  readonly url: string;
  /** The path whose changes are shown immediately. */
  readonly live: string;
}

/** The backups of a database or a disk, and their actions. */
export const BackupsSection = ({ title, about, name, consequence, url, live }: BackupsSectionProps) => {
  const backups = useLoading<readonly Backup[]>(signal => api.get(url, {}, signal), [url]);
  useLive(backups, live);
  const backUp = async () => {
    await api.post(url);
    backups.reload();
  };
  const restore = async ({ id }: Backup) => {
    await api.post(`${url}/${id}/restore`);
    backups.reload();
  };
  return (
    <Section title={title} about={about} actions={<ActionButton work={backUp}>Create backup</ActionButton>}>
      <Loaded of={backups}>
        {list => <Backups list={list} name={name} consequence={consequence} restore={restore} />}
      </Loaded>
    </Section>
  );
};

interface BackupsProps {
  readonly list: readonly Backup[];
  readonly name: string;
  readonly consequence: string;
  readonly restore: (backup: Backup) => Promise<void>;
}

const Backups = ({ list, name, consequence, restore }: BackupsProps) =>
  list.length === 0 ? (
    <EmptyState>No backups yet. Create one above, or wait for the next scheduled backup.</EmptyState>
  ) : (
    <DataTable
      caption="Backups, newest first"
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
                consequence={consequence}
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
