import type { Deployment, Logs } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Badge } from '../../components/badge.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Page } from '../../components/page.js';
import { useLoading, usePolling } from '../../loading.js';
import { LogLines } from './log-lines.js';
import { Reason } from './reason.js';
import { placeInQueue } from './status.js';
import { useWebService } from './web-service-layout.js';

const POLL_MS = 2_000;

/** One deployment with the log of its build and its release. */
export const DeploymentPage = ({ deploymentId }: { readonly deploymentId: string }) => {
  const path = `${useWebService().path}/deployments/${deploymentId}`;
  const deployment = useLoading<Deployment>(signal => api.get(path, {}, signal), [path]);
  const logs = useLoading<Logs>(signal => api.get(`${path}/logs`, {}, signal), [path]);
  const isActive = deployment.value !== undefined && deployment.value.finished_at === null;
  usePolling(deployment, isActive ? POLL_MS : undefined);
  usePolling(logs, isActive ? POLL_MS : undefined);
  return (
    <Page title="Deployment log">
      <Loaded of={deployment}>
        {({ status, commit, branch, error, queue_position }) => (
          <>
            <p>
              <Badge status={status} /> <code>{commit?.slice(0, 10)}</code> {branch}
            </p>
            {queue_position !== undefined && <Notice kind="plain">{placeInQueue(queue_position)}</Notice>}
            {error && <Reason of={error} isFailure={!isActive} />}
          </>
        )}
      </Loaded>
      <Loaded of={logs}>
        {({ lines }) =>
          lines.length === 0 ? (
            <EmptyState>No log lines.</EmptyState>
          ) : (
            <LogLines lines={lines} following={isActive} file={`deployment-${deploymentId}.txt`} />
          )
        }
      </Loaded>
    </Page>
  );
};
