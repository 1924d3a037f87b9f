import type { Page as ListPage, ScheduledEmailOfService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Choice } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { Time } from '../../components/time.js';
import { formatLabel } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { useService } from './service-layout.js';

const STATES: readonly ScheduledEmailOfService['state'][] = ['scheduled', 'sent', 'cancelled', 'failed'];
const FILTERS = ['state'];
export const ScheduledEmailsPage = () => {
  const { path: servicePath, page } = useService();
  const path = `${servicePath}/scheduled-emails`;
  const { offset, limit, filter, setOffset, setLimit, setFilter } = useListState(FILTERS);
  const { state = '' } = filter;
  const scheduled = useLoading<ListPage<ScheduledEmailOfService>>(
    signal => api.get(path, { ...filter, offset, limit }, signal),
    [path, state, offset, limit],
  );
  useLive(scheduled, servicePath.slice(1));
  const cancel = async ({ id }: ScheduledEmailOfService) => {
    await api.delete(`${path}/${id}`);
    scheduled.reload();
  };
  return (
    <Page title="Scheduled messages">
      <p class="about">Messages that an application scheduled with POST /scheduled-emails.</p>
      <div class="filters">
        <Choice
          label="Status"
          value={state}
          options={[['', 'All statuses'], ...STATES.map(option => [option, formatLabel(option)] as const)]}
          onChoice={choice => setFilter({ state: choice })}
        />
      </div>
      <Loaded of={scheduled}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <EmptyState>
                {state
                  ? 'No scheduled messages match.'
                  : 'No scheduled messages yet. Send one with POST /scheduled-emails.'}
              </EmptyState>
            ) : (
              <ScheduledTable rows={list.items} page={page} onCancel={cancel} />
            )}
            <Paging page={list} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface ScheduledTableProps {
  readonly rows: readonly ScheduledEmailOfService[];
  readonly page: string;
  readonly onCancel: (scheduled: ScheduledEmailOfService) => Promise<void>;
}

const ScheduledTable = ({ rows, page, onCancel }: ScheduledTableProps) => (
  <DataTable
    caption="Scheduled messages, the latest times first"
    rows={rows}
    keyOf={scheduled => scheduled.id}
    columns={[
      { title: 'Subject', cell: scheduled => <Subject of={scheduled} page={page} /> },
      { title: 'To', cell: ({ to }) => <span class="long">{to.join(', ')}</span> },
      { title: 'Time', cell: ({ send_at }) => <Time at={send_at} exact /> },
      {
        title: 'Status',
        cell: ({ state, error }) => (
          <>
            <Badge status={state} />
            {error && <p class="hint">{error}</p>}
          </>
        ),
      },
      {
        title: 'Actions',
        buttons: true,
        cell: scheduled =>
          scheduled.state === 'scheduled' && (
            <ConfirmButton
              label={`Cancel: ${nameOf(scheduled)}`}
              question={`Cancel ${nameOf(scheduled)}?`}
              consequence="The message will not be sent. This cannot be undone."
              confirm="Cancel message"
              class="quiet"
              work={() => onCancel(scheduled)}
            >
              Cancel
            </ConfirmButton>
          ),
      },
    ]}
  />
);

const Subject = ({ of, page }: { readonly of: ScheduledEmailOfService; readonly page: string }) =>
  of.email_id === undefined ? (
    <span class="long">{nameOf(of)}</span>
  ) : (
    <Link to={`${page}/messages/${of.email_id}`} class="long">
      {nameOf(of)}
    </Link>
  );

const nameOf = ({ subject }: ScheduledEmailOfService): string => subject || '(no subject)';
