import type { Page as ListPage, Suppression } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { Time } from '../../components/time.js';
import { formatLabel } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { useService } from './service-layout.js';

const PAGE_SIZE = 20;

export const SuppressionsPage = () => {
  const { service, path: servicePath, page } = useService();
  const path = `${servicePath}/suppressions`;
  const [offset, setOffset] = useState(0);
  const suppressions = useLoading<ListPage<Suppression>>(
    signal => api.get(path, { offset, limit: PAGE_SIZE }, signal),
    [path, offset],
  );
  const remove = async ({ address }: Suppression) => {
    await api.delete(`${path}/${encodeURIComponent(address)}`);
    suppressions.reload();
  };
  return (
    <Page title="Suppressions">
      <p class="about">
        Addresses that bounced hard or complained.{' '}
        {service.suppression
          ? 'Postern does not send to these addresses.'
          : 'Suppression is off, so messages are still sent to them.'}{' '}
        <Link to={`${page}/settings`}>Change in Settings</Link>
      </p>
      <Loaded of={suppressions}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <EmptyState>No suppressed addresses.</EmptyState>
            ) : (
              <DataTable
                caption="Suppressed addresses"
                rows={list.items}
                keyOf={suppression => suppression.address}
                columns={[
                  { title: 'Address', cell: suppression => <strong class="long">{suppression.address}</strong> },
                  {
                    title: 'Reason',
                    cell: suppression => (
                      <Link to={`${page}/messages/${suppression.email_id}`}>{formatLabel(suppression.reason)}</Link>
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
                        work={() => remove(suppression)}
                      >
                        Remove from list
                      </ConfirmButton>
                    ),
                  },
                ]}
              />
            )}
            <Paging page={list} onOffset={setOffset} />
          </>
        )}
      </Loaded>
    </Page>
  );
};
