import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { Page as ListPage, Suppression } from '../../api-shapes.js';
import { formatWords } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { ConfirmButton } from '../../parts/action-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page } from '../../parts/page.js';
import { Paging } from '../../parts/paging.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../router.js';
import { useService } from './service-frame.js';

const PAGE_SIZE = 20;

export const SuppressionsPage = () => {
  const { service, path: servicePath, page } = useService();
  const path = `${servicePath}/suppressions`;
  const [offset, setOffset] = useState(0);
  const suppressions = useLoading<ListPage<Suppression>>(
    signal => api.get(path, { offset, limit: PAGE_SIZE }, signal),
    [path, offset],
  );
  const lift = async ({ address }: Suppression) => {
    await api.delete(`${path}/${encodeURIComponent(address)}`);
    suppressions.reload();
  };
  return (
    <Page title="Suppressions">
      <p class="about">
        Addresses that bounced hard or complained.{' '}
        {service.suppression ? 'Nothing is sent to them.' : 'Mail is still sent to them: suppression is off.'}{' '}
        <Link to={`${page}/settings`}>To the settings</Link>
      </p>
      <Loaded of={suppressions}>
        {list => (
          <>
            {list.items.length === 0 ? (
              <Empty>No address is listed.</Empty>
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
                      <Link to={`${page}/messages/${suppression.email_id}`}>{formatWords(suppression.reason)}</Link>
                    ),
                  },
                  { title: 'Since', cell: suppression => <Time at={suppression.at} /> },
                  {
                    title: 'What to do',
                    buttons: true,
                    cell: suppression => (
                      <ConfirmButton
                        label={`Lift the suppression of ${suppression.address}`}
                        question={`Take ${suppression.address} off the list?`}
                        consequence="Mail is sent to it again. Sending to addresses that bounce or complain harms your reputation."
                        confirm="Take it off"
                        class="quiet"
                        work={() => lift(suppression)}
                      >
                        Lift
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
