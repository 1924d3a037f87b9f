import { imageReferenceText, parseImageReference } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import type { OwnerCommand, ReconcilerCommand } from './commands.js';
import type { Cause, CommitDescription, DeploymentEvent, Upload } from './events.js';
import { deploymentNotFound, refuseFlagged } from './refusals.js';
import {
  activeDeployment,
  type Deployment,
  deploymentOf,
  isOver,
  isQueued,
  KEPT_UPLOADS,
  rollbackTargets,
  uploadsInUse,
  type WebService,
} from './state.js';

type Command<Kind> = Extract<OwnerCommand | ReconcilerCommand, { kind: Kind }>;

export function requestDeployment(
  { deploymentId, branch, clearCache, upload: given, uploadOf, at }: Command<'request-deployment'>,
  state: WebService,
): DeploymentEvent[] {
  const upload = uploadOf === undefined ? given : earlierUpload(state, uploadOf);
  refuseFlagged(state);
  const { image, branch: configured } = state.settings!;
  if (image) refuseOtherSource(branch, upload);
  return [
    ...supersedeQueued(state, deploymentId, at),
    {
      type: 'platform-management.deployment-requested.v1',
      data: {
        web_service_id: state.id!,
        deployment_id: deploymentId,
        branch: upload ? null : (branch ?? configured),
        ...(clearCache && { clear_cache: true as const }),
        ...(upload && { upload }),
        ...(image && { image }),
        at,
      },
    },
  ];
}

function refuseOtherSource(branch: string | undefined, upload: Upload | undefined): void {
  if (branch !== undefined)
    throw new Refusal('invalid_input', 'branch: the web service deploys an image; set the tag in its `image`');
  if (upload)
    throw new Refusal('invalid_input', 'the web service deploys an image; set `git_repository_url` to build a source');
}

function earlierUpload(state: WebService, deploymentId: string): Upload {
  const deployment = deploymentOf(state, deploymentId);
  if (!deployment) throw deploymentNotFound();
  const { upload } = deployment;
  if (!upload) throw new Refusal('invalid_input', 'upload_of: the source of this deployment was not uploaded');
  if (!uploadsInUse(state).has(upload.id))
    throw new Refusal('invalid_input', `upload_of: only the last ${KEPT_UPLOADS} uploads are kept; upload it again`);
  return upload;
}

/** Only for a previously live deployment with a retained artefact. */
export function requestRollback(
  { deploymentId, rollbackOf, retained, at }: Command<'request-rollback'>,
  state: WebService,
): DeploymentEvent[] {
  const target = deploymentOf(state, rollbackOf);
  if (!target) throw deploymentNotFound();
  refuseFlagged(state);
  if (!state.onceLive.includes(target.id)) {
    throw new Refusal(
      'deployment_never_live',
      `only a deployment that was live can be rolled back to; this one is ${target.status}`,
    );
  }
  if (target.status !== 'live' && !rollbackTargets(state, retained).includes(target.id)) {
    throw new Refusal(
      'deployment_too_old',
      `the deployment is too old: builds are kept for the last ${retained} deployments that were live`,
    );
  }
  return [
    ...supersedeQueued(state, deploymentId, at),
    {
      type: 'platform-management.rollback-requested.v1',
      data: {
        web_service_id: state.id!,
        deployment_id: deploymentId,
        rollback_of: target.id,
        branch: target.branch,
        commit: target.commit!,
        artefact_reference: target.artefact!,
        ...(target.upload && { upload: target.upload }),
        ...(target.image !== undefined && { image: target.image }),
        at,
      },
    },
  ];
}

/** Cancels a queued deployment immediately; an active one is cancelled once the reconciler has stopped its work. */
export function cancelDeployment(
  { deploymentId, at }: Command<'cancel-deployment'>,
  state: WebService,
): DeploymentEvent[] {
  const deployment = deploymentOf(state, deploymentId);
  if (!deployment) throw deploymentNotFound();
  if (isOver(deployment))
    throw new Refusal('deployment_over', `the deployment has already ended (${deployment.status})`);
  return cancellation(state, deployment, 'user', at);
}

/** Cancels all deployments in progress, because the web service stops. */
export const cancelAll = (state: WebService, because: Cause, at: string): DeploymentEvent[] =>
  state.deployments.filter(each => !isOver(each)).flatMap(each => cancellation(state, each, because, at));

function cancellation(state: WebService, deployment: Deployment, because: Cause, at: string): DeploymentEvent[] {
  const data = { web_service_id: state.id!, deployment_id: deployment.id, because, at };
  if (isQueued(deployment)) return [{ type: 'platform-management.deployment-cancelled.v1', data }];
  if (deployment.cancellation) return [];
  return [{ type: 'platform-management.deployment-cancellation-requested.v1', data }];
}

/** Has no effect while another deployment is active, because only one may be active. */
export function beginDeployment(
  { deploymentId, at }: Command<'begin-deployment'>,
  state: WebService,
): DeploymentEvent[] {
  const deployment = deploymentOf(state, deploymentId);
  if (!deployment || !isQueued(deployment) || activeDeployment(state)) return [];
  return [
    {
      type: 'platform-management.deployment-begun.v1',
      data: {
        web_service_id: state.id!,
        deployment_id: deploymentId,
        stage: deployment.rollbackOf === undefined ? 'building' : 'releasing',
        at,
      },
    },
  ];
}

export function resolveSource(
  { deploymentId, branch, commit, at }: Command<'resolve-source'>,
  state: WebService,
): DeploymentEvent[] {
  const deployment = deploymentOf(state, deploymentId);
  if (deployment?.status !== 'building' || deployment.commit !== undefined) return [];
  const image = deployment.image && imageReferenceText({ ...parseImageReference(deployment.image), digest: commit });
  return [
    {
      type: 'platform-management.deployment-source-resolved.v1',
      data: { web_service_id: state.id!, deployment_id: deploymentId, branch, commit, ...(image && { image }), at },
    },
  ];
}

/** A build that finishes during its cancellation counts as cancelled. */
export function finishBuild(
  { deploymentId, artefact, commit, description, port, at }: Command<'finish-build'>,
  state: WebService,
): DeploymentEvent[] {
  const deployment = deploymentOf(state, deploymentId);
  if (deployment?.status !== 'building') return [];
  if (deployment.cancellation) return [cancelled(state, deployment, deployment.cancellation, at)];
  return [
    {
      type: 'platform-management.deployment-built.v1',
      data: {
        web_service_id: state.id!,
        deployment_id: deploymentId,
        artefact_reference: artefact,
        commit,
        ...(description && { description }),
        ...(port !== undefined && { port }),
        at,
      },
    },
  ];
}

/** Has no effect during the release, which reports its own outcome. */
export function failDeployment(
  { deploymentId, reason, description, at }: Command<'fail-deployment'>,
  state: WebService,
): DeploymentEvent[] {
  const deployment = deploymentOf(state, deploymentId);
  if (!deployment || isOver(deployment) || state.rolling?.id === deploymentId) return [];
  return [failed(state, deployment, reason, at, description)];
}

export function endCancelled({ deploymentId, at }: Command<'end-cancelled'>, state: WebService): DeploymentEvent[] {
  const deployment = deploymentOf(state, deploymentId);
  if (!deployment?.cancellation || isOver(deployment) || state.rolling?.id === deploymentId) return [];
  return [cancelled(state, deployment, deployment.cancellation, at)];
}

export const cancelled = (state: WebService, { id }: Deployment, because: Cause, at: string): DeploymentEvent => ({
  type: 'platform-management.deployment-cancelled.v1',
  data: { web_service_id: state.id!, deployment_id: id, because, at },
});

export const failed = (
  state: WebService,
  { id }: Deployment,
  reason: string,
  at: string,
  description?: CommitDescription,
): DeploymentEvent => ({
  type: 'platform-management.deployment-failed.v1',
  data: { web_service_id: state.id!, deployment_id: id, reason, ...(description && { description }), at },
});

const supersedeQueued = (state: WebService, by: string, at: string): DeploymentEvent[] =>
  state.deployments.filter(isQueued).map(({ id }) => ({
    type: 'platform-management.deployment-superseded.v1',
    data: { web_service_id: state.id!, deployment_id: id, by, at },
  }));
