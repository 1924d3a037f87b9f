import type { WebServiceStatus } from '@postern/contracts';
import {
  type DeploymentEvent,
  isDeploymentEvent,
  isModerationEvent,
  type LifecycleEvent,
  type ModerationEvent,
  type ReleaseData,
  type ReleaseEvent,
  type WebServiceEvent,
} from './events.js';
import { type Deployment, type Release, type Request, type WebService } from './state.js';

/** Applies one event to a web service. */
export function evolve(state: WebService, event: WebServiceEvent): WebService {
  if (isDeploymentEvent(event)) return evolveDeployment(state, event);
  if (isModerationEvent(event)) return evolveModeration(state, event);
  return evolveLifecycle(state, event);
}

function evolveDeployment(state: WebService, { type, data }: DeploymentEvent): WebService {
  switch (type) {
    case 'platform-management.deployment-requested.v1':
    case 'platform-management.rollback-requested.v1':
      return { ...state, deployments: [...state.deployments, queuedDeployment(data)] };
    case 'platform-management.deployment-begun.v1':
      return changed(state, data, { status: data.stage, since: data.at });
    case 'platform-management.deployment-source-resolved.v1':
      return changed(state, data, {
        branch: data.branch,
        commit: data.commit,
        ...(data.image !== undefined && { image: data.image }),
      });
    case 'platform-management.deployment-built.v1': {
      const { artefact_reference: artefact, commit, port, at: since } = data;
      const exposed = port === undefined ? {} : { exposedPort: port };
      return changed(state, data, { status: 'releasing', since, artefact, commit, ...exposed });
    }
    case 'platform-management.deployment-cancellation-requested.v1':
      return changed(state, data, { cancellation: data.because });
    case 'platform-management.deployment-cancelled.v1':
      return changed(state, data, { status: 'cancelled', since: data.at });
    case 'platform-management.deployment-failed.v1':
      return changed(state, data, { status: 'failed', since: data.at });
    case 'platform-management.deployment-live.v1': {
      const live = changed(state, data, { status: 'live', since: data.at });
      return { ...live, onceLive: [...state.onceLive, data.deployment_id] };
    }
    case 'platform-management.deployment-superseded.v1':
      return changed(state, data, { status: 'superseded', since: data.at });
    case 'platform-management.deployment-rolled-back.v1':
      return changed(state, data, { status: 'rolled_back', since: data.at });
  }
}

function evolveLifecycle(state: WebService, { type, data }: LifecycleEvent | ReleaseEvent): WebService {
  switch (type) {
    case 'platform-management.web-service-created.v1': {
      const { web_service_id, user_id, project_id, preview, at: _, ...settings } = data;
      const created = { ...state, id: web_service_id, userId: user_id, projectId: project_id, settings };
      return preview ? { ...created, preview } : created;
    }
    case 'platform-management.web-service-changed.v1':
      return { ...state, settings: { ...state.settings!, ...data.changes } };
    case 'platform-management.web-service-deletion-requested.v1': {
      const { requested: _, ...rest } = state;
      return { ...rest, deleting: { since: data.at } };
    }
    case 'platform-management.web-service-deleted.v1': {
      const { deleting: _, serving: __, stopping: ___, ...rest } = state;
      return { ...rest, deleted: true };
    }
    case 'platform-management.web-service-start-requested.v1':
      return { ...withoutStopCause(withStatus(state, data)), requested: requestOf('start', data) };
    case 'platform-management.web-service-restart-requested.v1':
      return { ...withoutStopCause(withStatus(state, data)), requested: requestOf('restart', data) };
    case 'platform-management.release-begun.v1':
      return withRelease(withoutStopCause(withStatus(state, data)), data);
    case 'platform-management.release-served.v1':
      return serving(withStatus(state, data));
    case 'platform-management.release-failed.v1':
    case 'platform-management.release-abandoned.v1':
      return withoutRelease(withStatus(state, data), data);
    case 'platform-management.web-service-stop-requested.v1': {
      const { requested: _, ...rest } = state;
      return { ...withStatus(rest, data), stopping: { since: data.at }, stoppedBecause: data.because };
    }
    case 'platform-management.web-service-stopped.v1':
    case 'platform-management.web-service-stop-failed.v1': {
      const { stopping: _, serving: __, ...rest } = state;
      return { ...withStatus(rest, data), answering: true, instancesEndedAt: data.at };
    }
    case 'platform-management.web-service-unanswering.v1':
      return { ...withStatus(state, data), answering: false };
    case 'platform-management.web-service-answering.v1':
      return { ...withStatus(state, data), answering: true };
  }
}

function evolveModeration(state: WebService, { type, data }: ModerationEvent): WebService {
  switch (type) {
    case 'platform-management.web-service-blocked.v1':
      return { ...state, blocked: data.reason ?? '' };
    case 'platform-management.web-service-suspended.v1':
      return { ...state, suspended: data.reason ?? '', suspendedBy: data.actor_id };
    case 'platform-management.web-service-unblocked.v1': {
      const { blocked: _, ...rest } = state;
      return rest;
    }
    case 'platform-management.web-service-resumed.v1': {
      const { suspended: _, suspendedBy: __, ...rest } = state;
      return rest;
    }
  }
}

type RequestData = Extract<
  DeploymentEvent,
  {
    type: 'platform-management.deployment-requested.v1' | 'platform-management.rollback-requested.v1';
  }
>['data'];

interface RestartData {
  readonly release_id: string;
  readonly at: string;
  readonly if_serving?: true;
}

const queuedDeployment = (data: RequestData): Deployment => ({
  id: data.deployment_id,
  status: 'queued',
  branch: data.branch,
  requestedAt: data.at,
  since: data.at,
  ...('clear_cache' in data && { clearCache: true as const }),
  ...(data.upload && { upload: data.upload }),
  ...(data.image !== undefined && { image: data.image }),
  ...('rollback_of' in data
    ? { rollbackOf: data.rollback_of, commit: data.commit, artefact: data.artefact_reference }
    : {}),
});

const changed = (
  state: WebService,
  { deployment_id }: { readonly deployment_id: string },
  change: Partial<Deployment>,
): WebService => {
  // Searches from the end, because only the most recent of possibly thousands of deployments still change.
  const at = state.deployments.findLastIndex(({ id }) => id === deployment_id);
  const deployment = state.deployments[at];
  return deployment ? { ...state, deployments: state.deployments.with(at, { ...deployment, ...change }) } : state;
};

const withStatus = (
  state: WebService,
  { status, status_reason }: { readonly status: WebServiceStatus; readonly status_reason: string | null },
): WebService => ({ ...state, status, statusReason: status_reason });

/** The web service will run again, so the cause of its last stop no longer applies. */
function withoutStopCause({ stoppedBecause: _, ...state }: WebService): WebService {
  return state;
}

const requestOf = (kind: Request['kind'], data: RestartData): Request => ({
  releaseId: data.release_id,
  kind,
  since: data.at,
  ...(data.if_serving && { ifServing: true }),
});

function withRelease(state: WebService, data: ReleaseData): WebService {
  const { requested, ...rest } = state;
  const release: Release = {
    id: data.release_id,
    kind: data.kind,
    deploymentId: data.deployment_id,
    artefact: data.artefact_reference,
    commit: data.commit,
    configurationId: data.configuration_id,
    settings: data.settings,
  };
  const next = withDisk(requested && requested.releaseId !== data.release_id ? state : rest, data);
  const rolling = { ...release, since: data.at };
  const { settings } = data;
  return data.kind === 'deployment' ? { ...changed(next, data, { settings }), rolling } : { ...next, rolling };
}

const withDisk = (state: WebService, { settings }: ReleaseData): WebService =>
  settings.disk ? { ...state, largestDiskMib: Math.max(state.largestDiskMib ?? 0, settings.disk.size_mib) } : state;

function serving(state: WebService): WebService {
  const { rolling, ...rest } = state;
  if (!rolling) return state;
  const { since: _, ...release } = rolling;
  return { ...rest, serving: release, everRan: true, answering: true };
}

function withoutRelease(
  state: WebService,
  { release_id: releaseId, at }: { readonly release_id: string; readonly at: string },
): WebService {
  const { rolling, requested, ...rest } = state;
  return {
    ...rest,
    ...(rest.serving ? {} : { instancesEndedAt: at }),
    ...(rolling && rolling.id !== releaseId ? { rolling } : {}),
    ...(requested && requested.releaseId !== releaseId ? { requested } : {}),
  };
}
