import type { Autoscaling, HealthCheck, SecretScope, WebServiceStatus } from '@postern/contracts';

/** The actor of events that were not caused by a user. */
export const PLATFORM = 'platform';

/** The cause of a cancelled deployment or a stopped web service. */
export type Cause = 'user' | 'stop' | 'block' | 'suspend';
export type ReleaseKind = 'deployment' | 'start' | 'restart';

interface OfService {
  readonly web_service_id: string;
  readonly at: string;
}
interface OfDeployment extends OfService {
  readonly deployment_id: string;
}
interface OfRelease extends OfService {
  readonly release_id: string;
}
/** The new status of the web service, so that read models do not derive it. */
interface WithStatus {
  readonly status: WebServiceStatus;
  readonly status_reason: string | null;
}
interface Moderated extends OfService {
  readonly actor_id: string;
  readonly reason: string | null;
}

interface Event<Name extends string, Data extends OfService> {
  readonly type: `platform-management.${Name}.v1`;
  readonly data: Data;
}

/** Settings of the instances of a release. A later edit changes the next release, not this one. */
export interface ReleaseSettings {
  readonly name: string;
  readonly start_command: string | null;
  readonly health_check_path: string | null;
  readonly port: number;
  readonly health_check?: HealthCheck | null;
  readonly first_byte_timeout_seconds?: number | null;
  /** Null or absent means the default of the runtime, here and below. */
  readonly release_command?: string | null;
  readonly instance?: InstanceSize | null;
  readonly drain_seconds?: number | null;
  /** Number of instances by process type, without `web`. */
  readonly processes?: Readonly<Record<string, number>>;
  /** Absent if there is no disk. */
  readonly disk?: Disk | null;
}

export interface Disk {
  readonly size_mib: number;
}

export interface InstanceSize {
  readonly memory_mib: number;
  readonly cpu_millicores: number;
}

export interface Settings extends Omit<ReleaseSettings, 'port'> {
  /** Null with an image. */
  readonly git_repository_url: string | null;
  /** The reference of an image of a registry; absent or null with a repository. */
  readonly image?: string | null;
  /** Null for the port that the image exposes. */
  readonly port: number | null;
  readonly branch: string | null;
  readonly build_command: string | null;
  readonly min_instances: number;
  readonly max_instances: number;
  readonly autoscaling?: Autoscaling | null;
  readonly environment: SecretScope;
  /** Whether a push deploys; true if absent. */
  readonly auto_deploy?: boolean;
  /** The folder of the repository that is built; the root folder if absent or null. */
  readonly root_directory?: string | null;
  /** The Dockerfile that is built, its stage and its arguments; absent, null or empty for the defaults. */
  readonly dockerfile_path?: string | null;
  readonly docker_target?: string | null;
  readonly build_args?: Readonly<Record<string, string>>;
  /** A push deploys only if it changes a matching file; absent or empty if every push deploys. */
  readonly watch_paths?: readonly string[];
  /** Whether pull and merge requests get previews; false if absent. */
  readonly previews?: boolean;
}

/** The pull or merge request that a preview shows, and the web service that it is a preview of. */
export interface Preview {
  readonly web_service_id: string;
  readonly pull_request: number;
  /** The page of the request; null if it is not known. */
  readonly url: string | null;
}

export interface CreatedData extends OfService, Settings {
  readonly user_id: string;
  readonly project_id: string;
  /** Absent for a web service that is no preview. */
  readonly preview?: Preview;
}

/** The encrypted configuration is stored under `configuration_id`, which is the id of the release. */
export interface ReleaseData extends OfRelease, OfDeployment {
  readonly kind: ReleaseKind;
  readonly artefact_reference: string;
  readonly commit: string;
  readonly configuration_id: string;
  readonly settings: ReleaseSettings;
}

/** The archive that a deployment builds instead of a commit. */
export interface Upload {
  readonly id: string;
  /** SHA-256 in hexadecimal; stands for the commit. */
  readonly digest: string;
  readonly size_bytes: number;
}

/** Of the commit that was fetched; absent if nothing was fetched. */
export interface CommitDescription {
  readonly subject: string;
  readonly author: string;
}

export type DeploymentEvent =
  | Event<
      'deployment-requested',
      OfDeployment & {
        readonly branch: string | null;
        readonly clear_cache?: true;
        readonly upload?: Upload;
        readonly image?: string;
      }
    >
  | Event<
      'rollback-requested',
      OfDeployment & {
        readonly rollback_of: string;
        readonly branch: string | null;
        readonly commit: string;
        readonly artefact_reference: string;
        readonly upload?: Upload;
        readonly image?: string;
      }
    >
  | Event<'deployment-begun', OfDeployment & { readonly stage: 'building' | 'releasing' }>
  | Event<
      'deployment-source-resolved',
      /** For an image, its reference with the digest, which is also the commit. */
      OfDeployment & { readonly branch: string | null; readonly commit: string; readonly image?: string }
    >
  | Event<
      'deployment-built',
      OfDeployment & {
        readonly artefact_reference: string;
        readonly commit: string;
        readonly description?: CommitDescription;
        /** The port that the image exposes; absent if there is no image, or if it exposes none. */
        readonly port?: number;
      }
    >
  | Event<'deployment-cancellation-requested', OfDeployment & { readonly because: Cause }>
  | Event<'deployment-cancelled', OfDeployment & { readonly because: Cause }>
  | Event<'deployment-failed', OfDeployment & { readonly reason: string; readonly description?: CommitDescription }>
  | Event<'deployment-live', OfDeployment>
  | Event<'deployment-superseded', OfDeployment & { readonly by: string }>
  | Event<'deployment-rolled-back', OfDeployment & { readonly by: string }>;

export type ReleaseEvent =
  | Event<'release-begun', ReleaseData & WithStatus>
  | Event<'release-served', OfRelease & WithStatus>
  | Event<'release-failed', OfRelease & WithStatus & { readonly reason: string }>
  | Event<'release-abandoned', OfRelease & WithStatus>;

export type LifecycleEvent =
  | Event<'web-service-created', CreatedData>
  | Event<'web-service-changed', OfService & { readonly changes: Partial<Settings> }>
  | Event<'web-service-deletion-requested', OfService>
  | Event<'web-service-deleted', OfService>
  | Event<'web-service-start-requested', OfRelease & WithStatus>
  | Event<
      'web-service-restart-requested',
      /** With `if_serving`, the restart begins only if a release serves once no deployment is being released. */
      OfRelease & WithStatus & { readonly if_serving?: true }
    >
  | Event<'web-service-stop-requested', OfService & WithStatus & { readonly because: Cause }>
  | Event<'web-service-stopped', OfService & WithStatus>
  | Event<'web-service-stop-failed', OfService & WithStatus>
  | Event<'web-service-unanswering', OfService & WithStatus>
  | Event<'web-service-answering', OfService & WithStatus>;

export type ModerationEvent =
  | Event<'web-service-blocked', Moderated>
  | Event<'web-service-unblocked', Moderated>
  | Event<'web-service-suspended', Moderated>
  | Event<'web-service-resumed', Moderated>;

export type WebServiceEvent = LifecycleEvent | DeploymentEvent | ReleaseEvent | ModerationEvent;

type NamesOf<E extends WebServiceEvent> = Readonly<Record<E['type'], true>>;

const LIFECYCLE_NAMES: NamesOf<LifecycleEvent> = {
  'platform-management.web-service-created.v1': true,
  'platform-management.web-service-changed.v1': true,
  'platform-management.web-service-deletion-requested.v1': true,
  'platform-management.web-service-deleted.v1': true,
  'platform-management.web-service-start-requested.v1': true,
  'platform-management.web-service-restart-requested.v1': true,
  'platform-management.web-service-stop-requested.v1': true,
  'platform-management.web-service-stopped.v1': true,
  'platform-management.web-service-stop-failed.v1': true,
  'platform-management.web-service-unanswering.v1': true,
  'platform-management.web-service-answering.v1': true,
};

const MODERATION_NAMES: NamesOf<ModerationEvent> = {
  'platform-management.web-service-blocked.v1': true,
  'platform-management.web-service-unblocked.v1': true,
  'platform-management.web-service-suspended.v1': true,
  'platform-management.web-service-resumed.v1': true,
};

const DEPLOYMENT_NAMES: NamesOf<DeploymentEvent> = {
  'platform-management.deployment-requested.v1': true,
  'platform-management.rollback-requested.v1': true,
  'platform-management.deployment-begun.v1': true,
  'platform-management.deployment-source-resolved.v1': true,
  'platform-management.deployment-built.v1': true,
  'platform-management.deployment-cancellation-requested.v1': true,
  'platform-management.deployment-cancelled.v1': true,
  'platform-management.deployment-failed.v1': true,
  'platform-management.deployment-live.v1': true,
  'platform-management.deployment-superseded.v1': true,
  'platform-management.deployment-rolled-back.v1': true,
};

const RELEASE_NAMES: NamesOf<ReleaseEvent> = {
  'platform-management.release-begun.v1': true,
  'platform-management.release-served.v1': true,
  'platform-management.release-failed.v1': true,
  'platform-management.release-abandoned.v1': true,
};

/** All event types of a web service's stream. */
export const WEB_SERVICE_EVENT_TYPES = [LIFECYCLE_NAMES, MODERATION_NAMES, DEPLOYMENT_NAMES, RELEASE_NAMES].flatMap(
  names => Object.keys(names) as WebServiceEvent['type'][],
);

export const isDeploymentEvent = <E extends WebServiceEvent>(event: E): event is E & DeploymentEvent =>
  event.type in DEPLOYMENT_NAMES;

export const isModerationEvent = (event: WebServiceEvent): event is ModerationEvent => event.type in MODERATION_NAMES;
