import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { CreatedDatabase, Database, Page as ListPage } from '../../api-shapes.js';
import { formatBytes, formatCount } from '../../formatting.js';
import { useAction, useLoading, useRepeated } from '../../loading.js';
import { ConfirmButton } from '../../parts/action-button.js';
import { Badge } from '../../parts/badge.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Select } from '../../parts/form-choices.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { Paging } from '../../parts/paging.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { DatabaseUsage } from './database-usage.js';

const PATH = '/databases';
const POLL_MS = 2_000;

const KINDS: readonly (readonly [kind: Database['kind'], words: string])[] = [
  ['relational', 'Relational'],
  ['key_value', 'Key-value store'],
];
const PLANS = [
  ['starter', 'Starter'],
  ['basic', 'Basic'],
  ['standard', 'Standard'],
  ['large', 'Large'],
] as const;

export const DatabasesPage = () => {
  const [offset, setOffset] = useState(0);
  const databases = useLoading<ListPage<Database>>(signal => api.get(PATH, { offset }, signal), [offset]);
  const moving = databases.value?.items.some(({ status }) => status === 'creating' || status === 'deleting');
  useRepeated(databases, moving ? POLL_MS : undefined);
  const [created, setCreated] = useState<CreatedDatabase>();
  const create = useAction(async ({ name, kind, plan }: Values) => {
    setCreated(await api.post<CreatedDatabase>(PATH, { name, kind, plan }));
    databases.reload();
  });
  const remove = async (database: Database) => {
    await api.delete(`${PATH}/${database.id}`);
    if (created?.id === database.id) setCreated(undefined);
    databases.reload();
  };
  return (
    <Page title="Databases">
      {created && (
        <SecretOnce
          title={`The URL of “${created.name}”, with its password`}
          secret={created.connection_url}
          what="the URL of the database"
          onStored={() => setCreated(undefined)}
        />
      )}
      <Loaded of={databases}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <Empty>This workspace has no database yet.</Empty>
            ) : (
              <Databases list={page.items} remove={remove} />
            )}
            <Paging page={page} onOffset={setOffset} />
          </>
        )}
      </Loaded>
      <Section title="New database" about="Its URL is shown once. Give it to a web service as a variable.">
        <Form action={create} submit="Create" class="line wide">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          <Select label="Kind" name="kind" options={KINDS} />
          <Select label="Plan" name="plan" options={PLANS} />
        </Form>
      </Section>
    </Page>
  );
};

interface DatabasesProps {
  readonly list: readonly Database[];
  readonly remove: (database: Database) => Promise<void>;
}

const Databases = ({ list, remove }: DatabasesProps) => (
  <DataTable
    caption="Databases of this workspace"
    rows={list}
    keyOf={database => database.id}
    columns={[
      {
        title: 'Name',
        cell: database => (
          <>
            <strong>{database.name}</strong>
            <p class="hint long">{database.hostnames.join(', ')}</p>
          </>
        ),
      },
      { title: 'Kind', cell: ({ kind }) => KINDS.find(([known]) => known === kind)?.[1] },
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
            {plan}
            <p class="hint">
              {formatCount(limits.cpu_millicores)} m CPU · {formatBytes(limits.memory_bytes)} ·{' '}
              {formatBytes(limits.storage_bytes)} on disk · {formatCount(limits.connections)} connections
            </p>
          </>
        ),
      },
      { title: 'Uses', cell: database => <DatabaseUsage key={database.status} of={database} /> },
      {
        title: 'What to do',
        buttons: true,
        cell: database => (
          <ConfirmButton
            label={`Delete ${database.name}`}
            question={`Delete “${database.name}”?`}
            consequence="It is stopped, and all of its data is deleted. This cannot be undone."
            confirm="Delete the database and its data"
            work={() => remove(database)}
          >
            Delete
          </ConfirmButton>
        ),
      },
    ]}
  />
);
