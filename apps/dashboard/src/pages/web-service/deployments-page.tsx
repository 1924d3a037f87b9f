import type { Deployment, Page as ListPage } from '@postern/contracts';
import { useEffect } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Checkbox } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page, Section } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { Time } from '../../components/time.js';
import { asSentence, formatDuration, NO_VALUE } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useAction, useLoading } from '../../loading.js';
import { Link, navigate } from '../../router.js';
import { CancelDeployment } from './cancel-deployment.js';
import { ACTIVE, placeInQueue, REPLACED } from './deployment-status.js';
import { Commit } from './stages.js';
import { useWebService } from './web-service-layout.js';

export const DeploymentsPage = () => {
  const open = useWebService();
  const path = `${open.path}/deployments`;
  const { offset, limit, setOffset, setLimit } = useListState();
  const deployments = useLoading<ListPage<Deployment>>(
    signal => api.get(path, { offset, limit }, signal),
    [path, offset, limit],
  );
  const active = deployments.value?.items.some(({ status }) => ACTIVE.has(status));
  useLive(deployments, open.path.slice(1));
  // A deployment that starts or ends changes the status of the web service in the header.
  useEffect(() => open.reload(), [active, open.reload]);
  const act = async (call: string) => {
    await api.post<Deployment>(`${path}${call}`);
    deployments.reload();
    open.reload();
  };
  const deploy = useAction(async ({ branch, clear_cache }: Values) => {
    const body = { ...(branch && { branch }), ...(clear_cache && { clear_cache: true }) };
    const { id } = await api.post<Deployment>(path, body);
    open.reload();
    navigate(`${path}/${id}`);
  });
  return (
    <Page title="Deployments">
      <Section
        title="Deploy"
        about="Builds the latest commit, or pulls the image again. The new version replaces the current one when its health check passes."
        actions={<Link to={`${open.path}/logs`}>View logs</Link>}
      >
        <Form action={deploy} submit="Deploy" class="line" keepValues>
          {open.service.image == null && (
            <>
              <Field
                label="Branch"
                name="branch"
                maxLength={255}
                placeholder={open.service.branch ?? 'Default branch'}
                autocomplete="off"
                spellcheck={false}
              />
              <Checkbox label="Clear the build cache" name="clear_cache" />
            </>
          )}
        </Form>
      </Section>
      <Loaded of={deployments}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <EmptyState>No deployments yet. Deploy above to build and start the web service.</EmptyState>
            ) : (
              <Deployments list={page.items} path={path} act={act} />
            )}
            <Paging page={page} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface DeploymentsProps {
  readonly list: readonly Deployment[];
  readonly path: string;
  readonly act: (call: string) => Promise<void>;
}

const Deployments = ({ list, path, act }: DeploymentsProps) => (
  <DataTable
    caption="Deployments, newest first"
    rows={list}
    keyOf={deployment => deployment.id}
    columns={[
      {
        title: 'Status',
        cell: ({ status, error, queue_position }) => (
          <>
            <Badge status={status} />
            {queue_position !== undefined && <p class="hint">{placeInQueue(queue_position)}</p>}
            {error && <p class="hint long">{asSentence(error.split('\n', 1)[0] ?? '')}</p>}
          </>
        ),
      },
      {
        title: 'Source',
        cell: deployment => (
          <>
            {(deployment.commit ?? deployment.image) == null ? NO_VALUE : <Commit of={deployment} />}
            {deployment.rollback_of && <p class="hint">Rollback</p>}
          </>
        ),
      },
      { title: 'Created', cell: deployment => <Time at={deployment.created_at} /> },
      { title: 'Log', cell: ({ id }) => <Link to={`${path}/${id}`}>View log</Link> },
      {
        title: 'Duration',
        numeric: true,
        cell: ({ started_at, finished_at }) =>
          started_at ? formatDuration(started_at, finished_at ?? new Date().toISOString()) : NO_VALUE,
      },
      { title: 'Actions', buttons: true, cell: deployment => <DeploymentActions of={deployment} act={act} /> },
    ]}
  />
);

interface DeploymentActionsProps {
  readonly of: Deployment;
  readonly act: (call: string) => Promise<void>;
}

const DeploymentActions = ({ of: { id, status, commit, started_at }, act }: DeploymentActionsProps) => {
  if (ACTIVE.has(status)) return <CancelDeployment work={() => act(`/${id}/cancel`)} />;
  // A deployment that was superseded while queued has no build to roll back to.
  if (!REPLACED.has(status) || started_at === null) return null;
  return (
    <ConfirmButton
      class="quiet"
      label={`Roll back to ${commit?.slice(0, 10) ?? id}`}
      question={`Roll back to ${commit?.slice(0, 10) ?? 'this deployment'}?`}
      consequence="Redeploys this build with its original environment variables, without a new build."
      confirm="Roll back"
      work={() => act(`/${id}/rollback`)}
    >
      Roll back
    </ConfirmButton>
  );
};
