import type { Page as ListPage, Run } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { Time } from '../../components/time.js';
import { NO_VALUE } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { useWebService } from './web-service-layout.js';

/** The history of a cron job. */
export const CronJobPage = ({ cronJobId }: { readonly cronJobId: string }) => {
  const { path: service } = useWebService();
  const path = `${service}/cron-jobs/${cronJobId}/runs`;
  const { offset, limit, setOffset, setLimit } = useListState();
  const runs = useLoading<ListPage<Run>>(signal => api.get(path, { offset, limit }, signal), [path, offset, limit]);
  useLive(runs, service.slice(1));
  return (
    <Page title="Cron job">
      <Loaded of={runs}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <EmptyState>No runs yet. The first one starts at the next time of the schedule.</EmptyState>
            ) : (
              <HistoryTable runs={page.items} path={`${service}/runs`} />
            )}
            <Paging page={page} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

const HistoryTable = ({ runs, path }: { readonly runs: readonly Run[]; readonly path: string }) => (
  <DataTable
    caption="Runs, newest first"
    rows={runs}
    keyOf={run => run.id}
    columns={[
      { title: 'Status', cell: ({ status }) => <Badge status={status} /> },
      {
        title: 'Scheduled for',
        cell: ({ id, scheduled_for }) => (
          <Link to={`${path}/${id}`}>{scheduled_for ? <Time at={scheduled_for} /> : NO_VALUE}</Link>
        ),
      },
      { title: 'Reason', cell: ({ reason }) => reason ?? NO_VALUE },
      { title: 'Exit code', numeric: true, cell: ({ exit_code }) => exit_code ?? NO_VALUE },
    ]}
  />
);
