import type { Database } from '@postern/contracts';
import { BackupsSection } from '../../components/backup-list.js';

/** The backups of a database, and their actions. */
export const DatabaseBackups = ({ of: database, path }: { readonly of: Database; readonly path: string }) => (
  <BackupsSection
    title="Backups"
    about="Created regularly while the database runs; it stays available. Backups are deleted with the database."
    name={database.name}
    consequence="Everything stored since the backup is lost. All client connections are closed. Address and password stay the same."
    url={`${path}/backups`}
    live={path.slice(1)}
  />
);
