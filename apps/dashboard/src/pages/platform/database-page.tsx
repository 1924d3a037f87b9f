import type { DatabaseWithUsage } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Badge } from '../../components/badge.js';
import { Breadcrumbs } from '../../components/breadcrumbs.js';
import { CopyButton } from '../../components/copy-button.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { asSentence, formatLabel } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { DatabaseAttachments } from './database-attachments.js';
import { DatabaseBackups } from './database-backups.js';
import { DatabaseConnection } from './database-connection.js';
import { DatabaseDeletion } from './database-deletion.js';
import { DatabaseExtensions } from './database-extensions.js';
import { DatabaseExternalAccess } from './database-external-access.js';
import { KIND_NAMES } from './database-kinds.js';
import { DatabaseRecovery } from './database-recovery.js';
import { databaseUse } from './database-use.js';

/** The usage changes without a notice. */
const MEASURED_EVERY_MS = 30_000;

/** One database: how to connect to it, its plan and usage, the web services that it is attached to, and its backups. */
export const DatabasePage = ({ databaseId }: { readonly databaseId: string }) => {
  const path = `/databases/${databaseId}`;
  const database = useLoading<DatabaseWithUsage>(signal => api.get(path, {}, signal), [path]);
  useLive(database, path.slice(1), MEASURED_EVERY_MS);
  return (
    <Loaded of={database} title="Database">
      {found => (
        <>
          <Breadcrumbs above={[['/databases', 'Databases']]} current={found.name}>
            <Badge status={found.status} />
          </Breadcrumbs>
          <Page title={found.name}>
            {found.status_reason && <Notice kind="warning">{asSentence(found.status_reason)}</Notice>}
            <DatabaseConnection of={found} path={path} />
            {found.kind === 'relational' && found.external_access && (
              <DatabaseExternalAccess
                access={found.external_access}
                connection={found.connection}
                path={path}
                reload={database.reload}
              />
            )}
            <PlanAndUsage of={found} />
            <DatabaseAttachments of={found} path={path} />
            {found.kind === 'relational' && <DatabaseExtensions of={found} path={path} />}
            <DatabaseBackups of={found} path={path} />
            <DatabaseRecovery of={found} path={path} />
            <DatabaseDeletion of={found} path={path} />
          </Page>
        </>
      )}
    </Loaded>
  );
};

const PlanAndUsage = ({ of: database }: { readonly of: DatabaseWithUsage }) => {
  const { id, kind, plan, server_version, created_at } = database;
  return (
    <Section title="Plan and usage">
      <dl class="record">
        <dt>Kind</dt>
        <dd>
          {KIND_NAMES[kind]}
          {server_version && `, PostgreSQL ${server_version}`}
        </dd>
        <dt>Plan</dt>
        <dd>{formatLabel(plan)}</dd>
        {databaseUse(database).map(([what, use]) => [<dt key={what}>{what}</dt>, <dd key={`${what} use`}>{use}</dd>])}
        <dt>Created</dt>
        <dd>
          <Time at={created_at} />
        </dd>
        <dt>ID</dt>
        <dd class="copy-line">
          <code>{id}</code>
          <CopyButton text={id} what="the database ID" />
        </dd>
      </dl>
    </Section>
  );
};
