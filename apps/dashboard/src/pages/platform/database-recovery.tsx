import type { CreatedDatabase, DatabaseBackupWithRestore, DatabaseWithUsage } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { Section } from '../../components/page.js';
import { asSentence, formatTime } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { Link } from '../../router.js';

const POINT_IN_TIME = 'point-in-time';

/** Creates another database with the data of a backup, or of a point in time. */
export const DatabaseRecovery = ({ of: database, path }: { readonly of: DatabaseWithUsage; readonly path: string }) => {
  const url = `${path}/backups`;
  const backups = useLoading<readonly DatabaseBackupWithRestore[]>(signal => api.get(url, {}, signal), [url]);
  useLive(backups, path.slice(1));
  const [created, setCreated] = useState<CreatedDatabase>();
  const { id, kind, plan, recovery } = database;
  const create = useAction(async ({ name, from, target_time }: Values) => {
    const data = from === POINT_IN_TIME ? { target_time } : { backup_id: from };
    setCreated(await api.post('/databases', { name, kind, plan, restore_from: { database_id: id, ...data } }));
  });
  const completed = (backups.value ?? []).filter(({ status }) => status === 'completed');
  const options: [string, string][] = completed.map(backup => [
    backup.id,
    `Backup of ${formatTime(backup.created_at)}`,
  ]);
  if (recovery?.latest) options.unshift([POINT_IN_TIME, 'Point in time']);
  if (options.length === 0) return null;
  return (
    <Section
      title="Restore into a new database"
      about="Creates another database with the same plan and a password of its own. This database stays as it is."
    >
      {created && (
        <>
          <OneTimeSecret
            title={`Connection URL of “${created.name}”, including its password`}
            secret={created.connection_url}
            what="the connection URL"
            onSaved={() => setCreated(undefined)}
          />
          <p>
            <Link to={`/databases/${created.id}`}>Open the new database</Link>
          </p>
        </>
      )}
      {recovery?.earliest && recovery.latest && (
        <p class="hint">
          Points in time: from {recovery.earliest} to {recovery.latest}.
        </p>
      )}
      {recovery?.problem && <p class="hint">{asSentence(recovery.problem)}</p>}
      <Form action={create} submit="Restore into new database" class="line wide">
        <Field label="Name of the new database" name="name" required maxLength={100} autocomplete="off" />
        <Select label="Data" name="from" options={options} />
        {recovery?.latest && (
          <Field label="Point in time (UTC)" name="target_time" placeholder={recovery.latest} autocomplete="off" />
        )}
      </Form>
    </Section>
  );
};
