import type { Database, RotatedDatabase } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { Page, Section } from '../../components/page.js';
import { counted } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { DatabaseAttachments } from './database-attachments.js';
import { DatabaseBackups } from './database-backups.js';

/** One database: its connection URL, the web services that it is attached to, and its backups. */
export const DatabasePage = ({ databaseId }: { readonly databaseId: string }) => {
  const path = `/databases/${databaseId}`;
  const database = useLoading<Database>(signal => api.get(path, {}, signal), [path]);
  useLive(database, path.slice(1));
  return (
    <Loaded of={database} title="Database">
      {found => (
        <Page title={found.name}>
          <p>
            <Badge status={found.status} /> {found.status_reason}
          </p>
          <ConnectionUrl of={found} path={path} />
          <DatabaseAttachments of={found} path={path} />
          <DatabaseBackups of={found} path={path} />
        </Page>
      )}
    </Loaded>
  );
};

const ConnectionUrl = ({ of: database, path }: { readonly of: Database; readonly path: string }) => {
  const [rotated, setRotated] = useState<RotatedDatabase>();
  return (
    <Section title="Connection URL" about="The URL is shown once. If it was lost or disclosed, replace the password.">
      {rotated && (
        <>
          <OneTimeSecret
            title={`New connection URL of “${database.name}”, including its password`}
            secret={rotated.connection_url}
            what="the connection URL"
            onSaved={() => setRotated(undefined)}
          />
          {rotated.restarting.length > 0 && (
            <p class="hint">
              {counted(rotated.restarting.length, 'attached web service')} restarting with the new URL.
            </p>
          )}
        </>
      )}
      <ConfirmButton
        question={`Replace the password of “${database.name}”?`}
        consequence="The old password can’t be used for new connections; existing ones stay open. Attached web services that are running restart with the new URL. If you have set the URL as a variable yourself, update it."
        confirm="Replace password"
        work={async () => setRotated(await api.post<RotatedDatabase>(`${path}/rotate`))}
      >
        Replace password
      </ConfirmButton>
    </Section>
  );
};
