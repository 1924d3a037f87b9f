import type { AuditEntry, AuditOutcome, Page as ListPage } from '@postern/contracts';
import { api, queryString } from '../api-client.js';
import { Tag, type Tone } from '../components/badge.js';
import { DataTable } from '../components/data-table.js';
import { Field, Form, type Values } from '../components/form.js';
import { Select } from '../components/form-controls.js';
import { Loaded } from '../components/loaded.js';
import { EmptyState, Page } from '../components/page.js';
import { Paging } from '../components/paging.js';
import { Time } from '../components/time.js';
import { formatCount, formatLabel, NO_VALUE } from '../formatting.js';
import { useListState } from '../list-state.js';
import { useAction, useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';
import { actionLabel } from './audit-actions.js';
import { useActorOptions } from './audit-actors.js';

const FILTERS = ['action', 'actor', 'from', 'to'];

const TONES: Readonly<Record<AuditOutcome, Tone>> = {
  attempted: 'warning',
  succeeded: 'good',
  refused: 'bad',
  failed: 'bad',
};

export const AuditLogPage = () => {
  const { me } = useSignedIn();
  const { offset, limit, filter, setOffset, setLimit, setFilter } = useListState(FILTERS);
  const entries = useLoading<ListPage<AuditEntry>>(
    signal => api.get('/audit-log', { ...filter, offset, limit }, signal),
    [queryString(filter), offset, limit],
  );
  const actors = useActorOptions(me, filter['actor'] ?? '');
  const apply = useAction(async (values: Values) => {
    setFilter(filterOf(values));
  });
  const file = (format: string) => `/dashboard/api/audit-log${queryString({ ...filter, format })}`;
  return (
    <Page title="Audit log">
      <p class="about">
        {me.operator ? 'Activity in all workspaces.' : 'Activity in this workspace.'} Download all entries as{' '}
        <a href={file('csv')}>CSV</a> or <a href={file('ndjson')}>JSON lines</a>.
      </p>
      <div class="filters">
        <Form action={apply} submit="Apply" class="line" keepValues>
          <Field
            key={filter['action']}
            label="Action or resource type"
            name="action"
            maxLength={100}
            placeholder="variable.set"
            defaultValue={filter['action'] ?? ''}
            autocomplete="off"
            spellcheck={false}
          />
          <Select label="Who" name="actor" options={actors} defaultValue={filter['actor'] ?? ''} />
          <Field label="From" name="from" type="datetime-local" />
          <Field label="Before" name="to" type="datetime-local" />
        </Form>
      </div>
      <Loaded of={entries}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <EmptyState>No entries match these filters.</EmptyState>
            ) : (
              <DataTable
                caption="Audit log, newest first"
                rows={list.items}
                keyOf={entry => entry.id}
                columns={[
                  { title: 'Time', cell: entry => <Time at={entry.at} /> },
                  { title: 'Actor', cell: entry => <Actor of={entry.actor} ownId={me.id} /> },
                  {
                    title: 'Action',
                    cell: ({ action }) => <Action name={action} onChosen={() => setFilter({ action })} />,
                  },
                  { title: 'Resource', cell: ({ resource }) => <Resource of={resource} /> },
                  { title: 'Outcome', cell: entry => <Outcome of={entry} /> },
                  { title: 'From', cell: ({ client }) => <Client of={client} /> },
                ]}
              />
            )}
            <Paging page={list} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** The fields have times in the browser's time zone. */
const filterOf = ({ action = '', actor = '', from, to }: Values): Readonly<Record<string, string>> => ({
  action: action.trim(),
  actor: actor.trim(),
  from: from ? new Date(from).toISOString() : '',
  to: to ? new Date(to).toISOString() : '',
});

const Actor = ({ of: { type, id, name }, ownId }: { readonly of: AuditEntry['actor']; readonly ownId: string }) => (
  <span class="long" title={id ?? undefined}>
    {id === ownId ? 'You' : type === 'user' && name ? name : `${formatLabel(type)} ${name ?? id ?? ''}`}
  </span>
);

interface ActionProps {
  readonly name: string;
  /** Shows only entries with this action. */
  readonly onChosen: () => void;
}

const Action = ({ name, onChosen }: ActionProps) => (
  <button type="button" class="link" title={`${name}: show only these entries`} onClick={onChosen}>
    {actionLabel(name)}
  </button>
);

const Resource = ({ of: { type, id, name } }: { readonly of: AuditEntry['resource'] }) =>
  id === null ? (
    NO_VALUE
  ) : (
    <span class="long" title={id}>
      {name ?? id} {name && <small class="hint">{formatLabel(type)}</small>}
    </span>
  );

const Outcome = ({ of: { outcome, code, times } }: { readonly of: AuditEntry }) => (
  <>
    <Tag tone={TONES[outcome]}>{formatLabel(outcome)}</Tag> {code && <small>{code}</small>}{' '}
    {times > 1 && <small>{formatCount(times)} times</small>}
  </>
);

const Client = ({ of: { network, user_agent } }: { readonly of: AuditEntry['client'] }) => (
  <>
    {network ?? NO_VALUE} <small class="hint long">{user_agent}</small>
  </>
);
