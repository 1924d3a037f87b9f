import type { Deployment, Logs } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Page } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useLoading } from '../../loading.js';
import { Link, navigate } from '../../router.js';
import { CancelDeployment } from './cancel-deployment.js';
import { linesOfDeployment } from './deployment-lines.js';
import { ACTIVE, placeInQueue, REPLACED } from './deployment-status.js';
import { LogLines } from './log-lines.js';
import { useLogStream } from './log-stream.js';
import { Reason } from './reason.js';
import { Commit, Stages } from './stages.js';
import { useWebService } from './web-service-layout.js';

/** Lines before the ones that are followed; the deployment began a moment ago. */
const TAIL = 1_000;

/** One deployment: its stages, and the log of its build and its release, which grows while it is in progress. */
export const DeploymentPage = ({ deploymentId }: { readonly deploymentId: string }) => {
  const { path: service } = useWebService();
  const path = `${service}/deployments/${deploymentId}`;
  const deployment = useLoading<Deployment>(signal => api.get(path, {}, signal), [path]);
  const isActive = deployment.value !== undefined && ACTIVE.has(deployment.value.status);
  useLive(deployment, service.slice(1));
  return (
    <Page title="Deployment" actions={<Link to={`${service}/deployments`}>All deployments</Link>}>
      <Loaded of={deployment}>
        {found => (
          <>
            <p>
              <Badge status={found.status} /> <Commit of={found} /> {found.rollback_of !== null && 'Rollback'}{' '}
              <Time at={found.created_at} />
            </p>
            <Stages of={found} />
            {found.queue_position !== undefined && <Notice kind="plain">{placeInQueue(found.queue_position)}</Notice>}
            {found.error && <Reason of={found.error} isFailure={!isActive} />}
            <Actions of={found} path={path} reload={deployment.reload} />
            {ACTIVE.has(found.status) ? (
              <LiveLog of={found} service={service} />
            ) : (
              <StoredLog path={path} deploymentId={deploymentId} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface ActionsProps {
  readonly of: Deployment;
  readonly path: string;
  readonly reload: () => void;
}

const Actions = ({ of: { status, commit, id, started_at }, path, reload }: ActionsProps) => {
  const { path: service } = useWebService();
  const open = async (call: string) => {
    const created = await api.post<Deployment>(call, {});
    navigate(`${service}/deployments/${created.id}`);
  };
  const cancel = async () => {
    await api.post(`${path}/cancel`);
    reload();
  };
  if (ACTIVE.has(status)) return <CancelDeployment work={cancel} />;
  if (status === 'failed' || status === 'cancelled')
    return <ActionButton work={() => open(`${service}/deployments`)}>Retry</ActionButton>;
  if (!REPLACED.has(status) || started_at === null) return null;
  return (
    <ConfirmButton
      class="quiet"
      question={`Roll back to ${commit?.slice(0, 10) ?? id}?`}
      consequence="Releases this build with its environment variables, without a new build."
      confirm="Roll back"
      work={() => open(`${path}/rollback`)}
    >
      Roll back
    </ConfirmButton>
  );
};

const LiveLog = ({ of: deployment, service }: { readonly of: Deployment; readonly service: string }) => {
  const { lines = [], connected } = useLogStream(`${service}/logs/stream`, TAIL);
  const shown = linesOfDeployment(lines, deployment);
  return (
    <>
      {!connected && <p class="hint">Connecting to the log…</p>}
      {shown.length > 0 ? (
        <LogLines lines={shown} following file={`deployment-${deployment.id}.txt`} />
      ) : (
        connected && <EmptyState>No log lines yet. They appear here as the build writes them.</EmptyState>
      )}
    </>
  );
};

const StoredLog = ({ path, deploymentId }: { readonly path: string; readonly deploymentId: string }) => {
  const logs = useLoading<Logs>(signal => api.get(`${path}/logs`, {}, signal), [path]);
  return (
    <Loaded of={logs}>
      {({ lines }) =>
        lines.length === 0 ? (
          <EmptyState>No log lines.</EmptyState>
        ) : (
          <LogLines lines={lines} following={false} file={`deployment-${deploymentId}.txt`} />
        )
      }
    </Loaded>
  );
};
