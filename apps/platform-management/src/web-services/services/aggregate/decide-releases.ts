import type { WebServiceStatus } from '@postern/contracts';
import type { ReconcilerCommand } from './commands.js';
import { cancelled, failed } from './decide-deployments.js';
import type { ReleaseData, ReleaseSettings, WebServiceEvent } from './events.js';
import {
  deploymentOf,
  dueRequest,
  isReleasing,
  liveDeployment,
  releaseSettings,
  repeatedSettings,
  rollbackOrigin,
  steadyStatus,
  type WebService,
  waitingSuccessor,
} from './state.js';

type Command<Kind> = Extract<ReconcilerCommand, { kind: Kind }>;

/** Has no effect during another release or a stop, because changes run one after another. */
export function beginRelease({ releaseId, at }: Command<'begin-release'>, state: WebService): WebServiceEvent[] {
  if (state.rolling || state.stopping || state.deleting) return [];
  const release = releaseToBegin(state, releaseId);
  if (!release) return withoutServing(state, releaseId) ? [dropped(state, releaseId, at)] : [];
  const starts = release.kind === 'deployment' && !state.serving && !dueRequest(state);
  return [
    {
      type: 'platform-management.release-begun.v1',
      data: {
        web_service_id: state.id!,
        release_id: releaseId,
        ...release,
        status: starts ? 'starting' : state.status,
        status_reason: starts ? null : state.statusReason,
        at,
      },
    },
  ];
}

/** Whether the release is a restart for which no release serves, and none will. */
const withoutServing = (state: WebService, releaseId: string): boolean =>
  state.requested?.releaseId === releaseId && !dueRequest(state) && !isReleasing(state);

const dropped = ({ id, status, statusReason }: WebService, releaseId: string, at: string): WebServiceEvent => ({
  type: 'platform-management.release-abandoned.v1',
  data: { web_service_id: id!, release_id: releaseId, status, status_reason: statusReason, at },
});

type ReleaseParts = Omit<ReleaseData, 'web_service_id' | 'release_id' | 'at'>;

/**
 * Returns the data of the release with this id, whose configuration is stored under the same id. A rollback uses the settings of the
 * earlier release, but always the current disk.
 */
export function releaseToBegin(state: WebService, releaseId: string): ReleaseParts | undefined {
  const parts = (kind: ReleaseParts['kind'], deploymentId: string, repeated?: ReleaseSettings) => {
    const deployment = deploymentOf(state, deploymentId)!;
    const { artefact, commit } = deployment;
    return {
      kind,
      deployment_id: deploymentId,
      artefact_reference: artefact!,
      commit: commit!,
      configuration_id: releaseId,
      settings: repeated ?? releaseSettings(state, deployment),
    };
  };
  if (state.requested?.releaseId === releaseId) {
    const live = dueRequest(state) && liveDeployment(state);
    return live && parts(state.requested.kind, live.id);
  }
  const deployment = deploymentOf(state, releaseId);
  if (deployment?.status !== 'releasing' || deployment.cancellation) return undefined;
  const origin = rollbackOrigin(state, releaseId);
  return parts('deployment', deployment.id, origin?.settings && repeatedSettings(state, origin.settings));
}

/** The release serves traffic; the previously live deployment is superseded or rolled back. */
export function finishRelease({ releaseId, at }: Command<'finish-release'>, state: WebService): WebServiceEvent[] {
  const { rolling } = state;
  if (rolling?.id !== releaseId) return [];
  const status = state.stopping || dueRequest(state) ? state.status : state.requested ? 'restarting' : 'running';
  const served: WebServiceEvent = {
    type: 'platform-management.release-served.v1',
    data: { web_service_id: state.id!, release_id: releaseId, status, status_reason: null, at },
  };
  if (rolling.kind !== 'deployment') return [served];
  const previous = liveDeployment(state);
  return [
    served,
    {
      type: 'platform-management.deployment-live.v1',
      data: { web_service_id: state.id!, deployment_id: rolling.deploymentId, at },
    },
    ...(previous ? [replaced(state, previous.id, rolling.deploymentId, at)] : []),
  ];
}

/** The previous release keeps serving; without one, the web service is failed. */
export function failRelease({ releaseId, reason, at }: Command<'fail-release'>, state: WebService): WebServiceEvent[] {
  const deployment = deploymentOf(state, releaseId);
  const isRolling = state.rolling?.id === releaseId;
  if (!isRolling && state.requested?.releaseId !== releaseId) return [];
  const release: WebServiceEvent = {
    type: 'platform-management.release-failed.v1',
    data: {
      web_service_id: state.id!,
      release_id: releaseId,
      reason,
      ...statusAfterFailure(state, releaseId, reason),
      at,
    },
  };
  return deployment ? [release, failed(state, deployment, reason, at)] : [release];
}

function statusAfterFailure(state: WebService, releaseId: string, reason: string) {
  const due = dueRequest(state);
  const another = due && due.releaseId !== releaseId;
  if (state.stopping || another) return { status: state.status, status_reason: state.statusReason };
  if (!state.serving) return { status: 'failed' as const, status_reason: reason };
  // The deployment records the error; the web service keeps its status.
  const isDeployment = deploymentOf(state, releaseId) !== undefined;
  return { status: steadyStatus(state), status_reason: isDeployment ? state.statusReason : reason };
}

/**
 * Ends a release that did not serve yet, because of a stop, a cancellation or a waiting newer deployment.
 * Its instances are already removed.
 */
export function abandonRelease({ releaseId, at }: Command<'abandon-release'>, state: WebService): WebServiceEvent[] {
  if (state.rolling?.id !== releaseId) return [];
  const status: WebServiceStatus = state.stopping || dueRequest(state) ? state.status : steadyStatus(state);
  const abandoned: WebServiceEvent = {
    type: 'platform-management.release-abandoned.v1',
    data: { web_service_id: state.id!, release_id: releaseId, status, status_reason: state.statusReason, at },
  };
  const deployment = deploymentOf(state, releaseId);
  if (!deployment) return [abandoned];
  const successor = waitingSuccessor(state);
  if (!deployment.cancellation && !state.stopping && successor) {
    const data = { web_service_id: state.id!, deployment_id: deployment.id, by: successor.id, at };
    return [abandoned, { type: 'platform-management.deployment-superseded.v1', data }];
  }
  return [abandoned, cancelled(state, deployment, deployment.cancellation ?? 'stop', at)];
}

const replaced = (state: WebService, id: string, by: string, at: string): WebServiceEvent => ({
  type:
    deploymentOf(state, by)?.rollbackOf === undefined
      ? 'platform-management.deployment-superseded.v1'
      : 'platform-management.deployment-rolled-back.v1',
  data: { web_service_id: state.id!, deployment_id: id, by, at },
});
