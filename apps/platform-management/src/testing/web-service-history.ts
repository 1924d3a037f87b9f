import type { ReleaseSettings, Settings, WebServiceEvent } from '../web-services/services/aggregate/events.js';

/** Event histories of one web service, `shop` of `ada`, for the specs of the aggregate. */
export const at = '2026-03-01T10:00:00.000Z';
const service = { web_service_id: 'shop', at };
const running = { status: 'running', status_reason: null } as const;

export const created: WebServiceEvent = {
  type: 'platform-management.web-service-created.v1',
  data: {
    ...service,
    user_id: 'ada',
    project_id: 'project',
    name: 'Shop',
    git_repository_url: 'https://git.example.com/shop.git',
    branch: 'main',
    build_command: null,
    start_command: null,
    health_check_path: '/health',
    port: 3000,
    min_instances: 1,
    max_instances: 2,
    environment: 'production',
  },
};

export const changed = (changes: Partial<Settings>): WebServiceEvent => ({
  type: 'platform-management.web-service-changed.v1',
  data: { ...service, changes },
});
export const deletionRequested: WebServiceEvent = {
  type: 'platform-management.web-service-deletion-requested.v1',
  data: service,
};
export const deleted: WebServiceEvent = { type: 'platform-management.web-service-deleted.v1', data: service };

export const requested = (id: string, branch = 'main'): WebServiceEvent => ({
  type: 'platform-management.deployment-requested.v1',
  data: { ...service, deployment_id: id, branch },
});
export const rollbackRequested = (id: string, to: string): WebServiceEvent => ({
  type: 'platform-management.rollback-requested.v1',
  data: {
    ...service,
    deployment_id: id,
    rollback_of: to,
    branch: 'main',
    commit: `commit-${to}`,
    artefact_reference: `artefact-${to}`,
  },
});
export const begun = (id: string, stage: 'building' | 'releasing' = 'building'): WebServiceEvent => ({
  type: 'platform-management.deployment-begun.v1',
  data: { ...service, deployment_id: id, stage },
});
export const resolved = (id: string): WebServiceEvent => ({
  type: 'platform-management.deployment-source-resolved.v1',
  data: { ...service, deployment_id: id, branch: 'main', commit: `commit-${id}` },
});
export const built = (id: string): WebServiceEvent => ({
  type: 'platform-management.deployment-built.v1',
  data: { ...service, deployment_id: id, artefact_reference: `artefact-${id}`, commit: `commit-${id}` },
});
export const superseded = (id: string, by: string): WebServiceEvent => ({
  type: 'platform-management.deployment-superseded.v1',
  data: { ...service, deployment_id: id, by },
});
export const rolledBack = (id: string, by: string): WebServiceEvent => ({
  type: 'platform-management.deployment-rolled-back.v1',
  data: { ...service, deployment_id: id, by },
});
export const cancelling = (id: string, because: 'user' | 'stop' | 'block' | 'suspend' = 'user'): WebServiceEvent => ({
  type: 'platform-management.deployment-cancellation-requested.v1',
  data: { ...service, deployment_id: id, because },
});
export const cancelled = (id: string, because: 'user' | 'stop' | 'block' | 'suspend' = 'user'): WebServiceEvent => ({
  type: 'platform-management.deployment-cancelled.v1',
  data: { ...service, deployment_id: id, because },
});
export const failed = (id: string, reason: string): WebServiceEvent => ({
  type: 'platform-management.deployment-failed.v1',
  data: { ...service, deployment_id: id, reason },
});
export const live = (id: string): WebServiceEvent => ({
  type: 'platform-management.deployment-live.v1',
  data: { ...service, deployment_id: id },
});

type Status = 'created' | 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'failed';

const SETTINGS_OF_SHOP: ReleaseSettings = {
  name: 'Shop',
  start_command: null,
  health_check_path: '/health',
  port: 3000,
  release_command: null,
  instance: null,
  drain_seconds: null,
  processes: {},
};

/** The release of a deployment, or with `of` the release of a start or a restart. */
export const releaseBegun = (
  id: string,
  status: Status = 'starting',
  more: { kind?: 'start' | 'restart'; of?: string; configuration?: string; settings?: Partial<ReleaseSettings> } = {},
): WebServiceEvent => ({
  type: 'platform-management.release-begun.v1',
  data: {
    ...service,
    release_id: id,
    kind: more.kind ?? 'deployment',
    deployment_id: more.kind ? (more.of ?? id) : id,
    artefact_reference: `artefact-${more.of ?? id}`,
    commit: `commit-${more.of ?? id}`,
    configuration_id: more.configuration ?? id,
    settings: { ...SETTINGS_OF_SHOP, ...more.settings },
    status,
    status_reason: null,
  },
});
export const served = (id: string, status: Status = 'running'): WebServiceEvent => ({
  type: 'platform-management.release-served.v1',
  data: { ...service, release_id: id, status, status_reason: null },
});
export const releaseFailed = (
  id: string,
  reason: string,
  status: Status,
  status_reason: string | null,
): WebServiceEvent => ({
  type: 'platform-management.release-failed.v1',
  data: { ...service, release_id: id, reason, status, status_reason },
});
export const abandoned = (id: string, status: Status): WebServiceEvent => ({
  type: 'platform-management.release-abandoned.v1',
  data: { ...service, release_id: id, status, status_reason: null },
});
export const startRequested = (releaseId: string): WebServiceEvent => ({
  type: 'platform-management.web-service-start-requested.v1',
  data: { ...service, release_id: releaseId, status: 'starting', status_reason: null },
});
export const restartRequested = (releaseId: string): WebServiceEvent => ({
  type: 'platform-management.web-service-restart-requested.v1',
  data: { ...service, release_id: releaseId, status: 'restarting', status_reason: null },
});
/** A restart that begins only if a release serves; it keeps the status. */
export const restartIfServingRequested = (
  releaseId: string,
  status: Status,
  status_reason: string | null = null,
): WebServiceEvent => ({
  type: 'platform-management.web-service-restart-requested.v1',
  data: { ...service, release_id: releaseId, status, status_reason, if_serving: true },
});
export const stopRequested = (because: 'stop' | 'block' | 'suspend' = 'stop'): WebServiceEvent => ({
  type: 'platform-management.web-service-stop-requested.v1',
  data: { ...service, because, status: 'stopping', status_reason: null },
});
export const stopped = (status: Status = 'stopped'): WebServiceEvent => ({
  type: 'platform-management.web-service-stopped.v1',
  data: { ...service, status, status_reason: null },
});
export const stopFailed = (reason: string): WebServiceEvent => ({
  type: 'platform-management.web-service-stop-failed.v1',
  data: { ...service, status: 'failed', status_reason: reason },
});
export const unanswering = (reason: string): WebServiceEvent => ({
  type: 'platform-management.web-service-unanswering.v1',
  data: { ...service, status: 'failed', status_reason: reason },
});
export const answering: WebServiceEvent = {
  type: 'platform-management.web-service-answering.v1',
  data: { ...service, ...running },
};
export const blocked: WebServiceEvent = {
  type: 'platform-management.web-service-blocked.v1',
  data: { ...service, actor_id: 'operator', reason: 'phishing' },
};
export const suspended: WebServiceEvent = {
  type: 'platform-management.web-service-suspended.v1',
  data: { ...service, actor_id: 'operator', reason: 'bandwidth' },
};

/** All events of a deployment from its request until it is live. */
export const deployed = (id: string, before?: string): WebServiceEvent[] => [
  requested(id),
  begun(id),
  resolved(id),
  built(id),
  releaseBegun(id, before === undefined ? 'starting' : 'running'),
  served(id),
  live(id),
  ...(before === undefined ? [] : [superseded(before, id)]),
];
