import type { Page as ListPage, Run } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page, Section } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { Time } from '../../components/time.js';
import { NO_VALUE } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useAction, useLoading } from '../../loading.js';
import { Link, navigate } from '../../router.js';
import { CronJobsSection } from './cron-jobs-section.js';
import { useWebService } from './web-service-layout.js';

/** One-off commands of a web service. */
export const RunsPage = () => {
  const { path: service } = useWebService();
  const path = `${service}/runs`;
  const { offset, limit, setOffset, setLimit } = useListState();
  const runs = useLoading<ListPage<Run>>(signal => api.get(path, { offset, limit }, signal), [path, offset, limit]);
  useLive(runs, service.slice(1));
  const start = useAction(async ({ command }: Values) => {
    const { id } = await api.post<Run>(path, { command });
    navigate(`${path}/${id}`);
  });
  return (
    <Page title="Runs">
      <Section
        title="Run a command"
        about="The command runs once, for at most one hour, with the live version and its environment, alongside the instances. For a shell with a terminal, use postern shell on your computer."
      >
        <Form action={start} submit="Run" class="line">
          <Field
            label="Command"
            name="command"
            required
            maxLength={4096}
            placeholder="npm run seed"
            autocomplete="off"
            spellcheck={false}
          />
        </Form>
      </Section>
      <Loaded of={runs}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <EmptyState>No runs yet. Enter a command above to run it.</EmptyState>
            ) : (
              <RunTable runs={page.items} path={path} />
            )}
            <Paging page={page} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
      <CronJobsSection />
    </Page>
  );
};

const RunTable = ({ runs, path }: { readonly runs: readonly Run[]; readonly path: string }) => (
  <DataTable
    caption="Runs, newest first"
    rows={runs}
    keyOf={run => run.id}
    columns={[
      { title: 'Status', cell: ({ status }) => <Badge status={status} /> },
      {
        title: 'Command',
        cell: ({ id, command }) => (
          <Link to={`${path}/${id}`}>
            <code>{command}</code>
          </Link>
        ),
      },
      { title: 'Exit code', numeric: true, cell: ({ exit_code }) => exit_code ?? NO_VALUE },
      { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
  />
);
