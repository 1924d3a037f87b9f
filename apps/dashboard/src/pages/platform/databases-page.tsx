import type { CreatedDatabase, Database, Page as ListPage } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { CollapsibleSection, EmptyState, Page } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { formatBytes, formatCount, formatLabel } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useAction, useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { KIND_NAMES } from './database-kinds.js';
import { DatabaseUsage } from './database-usage.js';
import { PLAN_OPTIONS } from './plan-options.js';

const PATH = '/databases';

export const DatabasesPage = () => {
  const { offset, limit, setOffset, setLimit } = useListState();
  const databases = useLoading<ListPage<Database>>(signal => api.get(PATH, { offset, limit }, signal), [offset, limit]);
  useLive(databases);
  const [created, setCreated] = useState<CreatedDatabase>();
  const create = useAction(async ({ name, kind, plan, version }: Values) => {
    setCreated(await api.post<CreatedDatabase>(PATH, { name, kind, plan, ...(version && { version }) }));
    databases.reload();
  });
  return (
    <Page title="Databases">
      {created && (
        <OneTimeSecret
          title={`Connection URL of “${created.name}”, including its password`}
          secret={created.connection_url}
          what="the connection URL"
          onSaved={() => setCreated(undefined)}
        />
      )}
      <CollapsibleSection
        title="New database"
        open={databases.value?.total === 0}
        about="The connection URL is shown once, after you create the database. To give it to a web service, open the database and attach it."
      >
        <Form action={create} submit="Create database" class="line wide">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          <Select label="Kind" name="kind" options={Object.entries(KIND_NAMES)} />
          <Select label="Plan" name="plan" options={PLAN_OPTIONS} />
          <Field label="PostgreSQL version" name="version" placeholder="Default" maxLength={2} autocomplete="off" />
        </Form>
      </CollapsibleSection>
      <Loaded of={databases}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <EmptyState>No databases yet. Create one above.</EmptyState>
            ) : (
              <Databases list={page.items} />
            )}
            <Paging page={page} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

const Databases = ({ list }: { readonly list: readonly Database[] }) => (
  <DataTable
    caption="Databases of this workspace"
    rows={list}
    keyOf={database => database.id}
    columns={[
      {
        title: 'Name',
        cell: database => (
          <>
            <Link to={`/databases/${database.id}`}>{database.name}</Link>
            <p class="hint long">{database.hostnames.join(', ')}</p>
          </>
        ),
      },
      { title: 'Kind', cell: ({ kind }) => KIND_NAMES[kind] },
      {
        title: 'Status',
        cell: ({ status, status_reason }) => (
          <>
            <Badge status={status} />
            {status_reason && <p class="hint long">{status_reason}</p>}
          </>
        ),
      },
      {
        title: 'Plan',
        cell: ({ plan, limits }) => (
          <>
            {formatLabel(plan)}
            <p class="hint">
              {formatCount(limits.cpu_millicores)} mCPU · {formatBytes(limits.memory_bytes)} memory ·{' '}
              {formatBytes(limits.storage_bytes)} disk · {formatCount(limits.connections)} connections
            </p>
          </>
        ),
      },
      { title: 'Usage', cell: database => <DatabaseUsage key={database.status} of={database} /> },
    ]}
  />
);
