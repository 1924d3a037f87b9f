import type { Database, DatabaseBackupWithRestore, NamedDatabaseAttachment } from '@postern/contracts';
import { api } from '../../api-client.js';
import { DangerZone } from '../../components/danger-zone.js';
import { counted } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { navigate } from '../../router.js';

/** The deletion of a database, with a list of what is deleted. */
export const DatabaseDeletion = ({ of: { name }, path }: { readonly of: Database; readonly path: string }) => {
  const backups = useLoading<readonly DatabaseBackupWithRestore[]>(
    signal => api.get(`${path}/backups`, {}, signal),
    [path],
  );
  const attachments = useLoading<readonly NamedDatabaseAttachment[]>(
    signal => api.get(`${path}/attachments`, {}, signal),
    [path],
  );
  const remove = async () => {
    await api.delete(path);
    navigate('/databases');
  };
  const goes = [
    'all its data',
    counted(backups.value?.length ?? 0, 'backup'),
    ...(attachments.value ?? []).map(
      ({ web_service_name, variable }) =>
        `the variable ${variable} of “${web_service_name}”, which loses its connections immediately`,
    ),
  ];
  return <DangerZone what="database" name={name} goes={goes} work={remove} />;
};
