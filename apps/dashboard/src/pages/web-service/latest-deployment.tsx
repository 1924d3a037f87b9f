import type { Deployment, Page as ListPage } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useLoading } from '../../loading.js';
import { Link, navigate } from '../../router.js';
import { ACTIVE, placeInQueue, REPLACED } from './deployment-status.js';
import { Reason } from './reason.js';
import { Commit, Stages } from './stages.js';
import { useWebService } from './web-service-layout.js';

/** Deployments among which the latest one that was live is looked for. */
const SEARCHED = 20;

/** The latest deployment with its outcome, and what can be done about it. */
export const LatestDeployment = () => {
  const { path: service } = useWebService();
  const path = `${service}/deployments`;
  const deployments = useLoading<ListPage<Deployment>>(signal => api.get(path, { limit: SEARCHED }, signal), [path]);
  useLive(deployments, service.slice(1));
  const deploy = async () => {
    const { id } = await api.post<Deployment>(path, {});
    navigate(`${path}/${id}`);
  };
  return (
    <Section title="Latest deployment" actions={<Link to={path}>All deployments</Link>}>
      <Loaded of={deployments}>
        {({ items }) => {
          const [newest] = items;
          if (!newest)
            return (
              <>
                <EmptyState>Not deployed yet. Deploy to build and start the web service.</EmptyState>
                <ActionButton class="primary" work={deploy}>
                  Deploy
                </ActionButton>
              </>
            );
          return <Outcome of={newest} earlier={items.slice(1)} path={path} deploy={deploy} />;
        }}
      </Loaded>
    </Section>
  );
};

interface OutcomeProps {
  readonly of: Deployment;
  readonly earlier: readonly Deployment[];
  readonly path: string;
  readonly deploy: () => Promise<void>;
}

const Outcome = ({ of: latest, earlier, path, deploy }: OutcomeProps) => {
  const { id, status, error, created_at, queue_position, rollback_of } = latest;
  const isLive = earlier.some(deployment => deployment.status === 'live');
  const target = earlier.find(({ status: was, started_at }) => started_at !== null && REPLACED.has(was));
  const rollBack = async () => {
    const created = await api.post<Deployment>(`${path}/${target?.id}/rollback`);
    navigate(`${path}/${created.id}`);
  };
  return (
    <>
      <p>
        <Badge status={status} /> <Commit of={latest} /> {rollback_of !== null && 'Rollback'} <Time at={created_at} />
      </p>
      <Stages of={latest} />
      {queue_position !== undefined && <Notice kind="plain">{placeInQueue(queue_position)}</Notice>}
      {error && <Reason of={error} isFailure={status === 'failed'} />}
      {status === 'failed' && (
        <p class="hint">
          {isLive ? 'The version before it is still live.' : 'No version of this web service is live.'}
        </p>
      )}
      <div class="actions">
        <Link to={`${path}/${id}`}>View log</Link>
        {!ACTIVE.has(status) && (
          <ActionButton work={deploy}>
            {status === 'failed' ? 'Retry' : latest.image === undefined ? 'Deploy latest commit' : 'Deploy again'}
          </ActionButton>
        )}
        {target && !ACTIVE.has(status) && !(status === 'failed' && isLive) && (
          <ConfirmButton
            class="quiet"
            question={`Roll back to ${target.commit?.slice(0, 10) ?? 'the deployment before'}?`}
            consequence="Releases the earlier build with its environment variables, without a new build."
            confirm="Roll back"
            work={rollBack}
          >
            Roll back
          </ConfirmButton>
        )}
      </div>
    </>
  );
};
