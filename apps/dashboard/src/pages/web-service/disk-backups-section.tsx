import { BackupsSection } from '../../components/backup-list.js';
import { useWebService } from './web-service-layout.js';

/** The backups of the disk of a web service, and their actions; nothing without a disk. */
export const DiskBackupsSection = () => {
  const { service, path } = useWebService();
  return service.disk ? (
    <BackupsSection
      title="Disk backups"
      about="Created once a day and on request, while the web service runs. Backups are deleted with the web service."
      name={service.name}
      consequence="All files written to the disk since the backup are lost. The instance ends and starts again with the files of the backup."
      url={`${path}/disk/backups`}
      live={path.slice(1)}
    />
  ) : null;
};
