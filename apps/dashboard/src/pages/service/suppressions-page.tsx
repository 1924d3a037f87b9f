import type { Page as ListPage, Suppression } from '@postern/contracts';
import { api, queryString } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { Time } from '../../components/time.js';
import { formatLabel } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useAction, useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { AddSuppressions } from './add-suppressions.js';
import { useService } from './service-layout.js';

const FILTERS = ['search'];

export const SuppressionsPage = () => {
  const { service, path: servicePath, page } = useService();
  const path = `${servicePath}/suppressions`;
  const { offset, limit, filter, setOffset, setLimit, setFilter } = useListState(FILTERS);
  const { search = '' } = filter;
  const suppressions = useLoading<ListPage<Suppression>>(
    signal => api.get(path, { search, offset, limit }, signal),
    [path, search, offset, limit],
  );
  const find = useAction(async (values: Values) => {
    setFilter({ search: (values['search'] ?? '').trim() });
    suppressions.reload();
  });
  const remove = async ({ address }: Suppression) => {
    await api.delete(`${path}/${encodeURIComponent(address)}`);
    suppressions.reload();
  };
  return (
    <Page title="Suppressions">
      <p class="about">
        Addresses that bounced hard, complained or were added here.{' '}
        {service.suppression
          ? 'Postern does not send to these addresses.'
          : 'Suppression is off, so messages are still sent to them.'}{' '}
        <Link to={`${page}/settings`}>Change in Settings</Link>
      </p>
      <AddSuppressions path={path} onAdded={suppressions.reload} />
      <div class="filters">
        <Form action={find} submit="Search" class="line" keepValues>
          <Field
            key={search}
            label="Search address"
            name="search"
            type="search"
            maxLength={320}
            defaultValue={search}
          />
        </Form>
        <a class="button" href={`/dashboard/api${path}${queryString({ search, format: 'csv' })}`} download>
          Export CSV
        </a>
      </div>
      <Loaded of={suppressions}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <EmptyState>
                {search
                  ? 'No suppressed address matches.'
                  : 'No suppressed addresses yet. Addresses that bounce or complain appear here; add others above.'}
              </EmptyState>
            ) : (
              <SuppressionsTable rows={list.items} page={page} onRemove={remove} />
            )}
            <Paging page={list} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface SuppressionsTableProps {
  readonly rows: readonly Suppression[];
  readonly page: string;
  readonly onRemove: (suppression: Suppression) => Promise<void>;
}

const SuppressionsTable = ({ rows, page, onRemove }: SuppressionsTableProps) => (
  <DataTable
    caption="Suppressed addresses"
    rows={rows}
    keyOf={suppression => suppression.address}
    columns={[
      { title: 'Address', cell: suppression => <strong class="long">{suppression.address}</strong> },
      {
        title: 'Reason',
        cell: ({ email_id, reason }) =>
          email_id === null ? (
            formatLabel(reason)
          ) : (
            <Link to={`${page}/messages/${email_id}`}>{formatLabel(reason)}</Link>
          ),
      },
      { title: 'Since', cell: suppression => <Time at={suppression.at} /> },
      {
        title: 'Actions',
        buttons: true,
        cell: suppression => (
          <ConfirmButton
            label={`Remove from list: ${suppression.address}`}
            question={`Remove ${suppression.address} from the list?`}
            consequence="Messages to this address will be sent again. Sending to addresses that bounce or complain harms your reputation."
            confirm="Remove from list"
            class="quiet"
            work={() => onRemove(suppression)}
          >
            Remove from list
          </ConfirmButton>
        ),
      },
    ]}
  />
);
