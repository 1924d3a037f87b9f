import type { DeploymentStatus, WebServiceStatus } from '@postern/contracts';
import type { Cause, Preview, ReleaseKind, ReleaseSettings, Settings, Upload } from './events.js';

export interface Deployment {
  readonly id: string;
  readonly status: DeploymentStatus;
  readonly branch: string | null;
  /** Whether its build starts without the packages of earlier builds. */
  readonly clearCache?: true;
  /** The archive that is built instead of a commit. */
  readonly upload?: Upload;
  /** The reference of the image that is deployed instead of a repository; `commit` is its digest. */
  readonly image?: string;
  /** The port that the image exposes. */
  readonly exposedPort?: number;
  readonly rollbackOf?: string;
  readonly commit?: string;
  readonly artefact?: string;
  /** Settings of its release, whose encrypted configuration has the id of the deployment. */
  readonly settings?: ReleaseSettings;
  readonly requestedAt: string;
  /** Start of the current status; the deadline counts from this time. */
  readonly since: string;
  /** Cause of the requested cancellation. */
  readonly cancellation?: Cause;
}

export interface Release {
  readonly id: string;
  readonly kind: ReleaseKind;
  /** The deployment that its artefact belongs to: the released one, or the live one for a start or restart. */
  readonly deploymentId: string;
  readonly artefact: string;
  readonly commit: string;
  readonly configurationId: string;
  readonly settings: ReleaseSettings;
}

export interface Request {
  readonly releaseId: string;
  readonly kind: 'start' | 'restart';
  readonly since: string;
  /** Begins only if a release serves once no deployment is being released. */
  readonly ifServing?: true;
}

/**
 * A web service with all its deployments, both actual and desired state: `serving` receives traffic, `rolling` replaces it next,
 * `requested` waits.
 */
export interface WebService {
  readonly id: string | undefined;
  readonly userId: string | undefined;
  readonly projectId: string | undefined;
  readonly settings: Settings | undefined;
  readonly preview?: Preview;
  readonly status: WebServiceStatus;
  readonly statusReason: string | null;
  readonly everRan: boolean;
  /** False while the serving release does not respond. */
  readonly answering: boolean;
  /** Oldest first. */
  readonly deployments: readonly Deployment[];
  /** Ids of deployments in the order in which they went live. */
  readonly onceLive: readonly string[];
  readonly requested?: Request;
  readonly rolling?: Release & { readonly since: string };
  readonly serving?: Release;
  readonly stopping?: { readonly since: string };
  /** When the last instances ended: at a stop, or at the end of a release while no other one was serving. */
  readonly instancesEndedAt?: string;
  /** Set from the deletion request until the removal is finished. */
  readonly deleting?: { readonly since: string };
  readonly deleted?: true;
  /** Size of the largest disk that a release had. Its files are kept until the deletion. */
  readonly largestDiskMib?: number;
  readonly blocked?: string;
  readonly suspended?: string;
  readonly suspendedBy?: string;
  /** Cause of the last requested stop, until the web service is requested to run again. */
  readonly stoppedBecause?: Cause;
}

export const initial: WebService = {
  id: undefined,
  userId: undefined,
  projectId: undefined,
  settings: undefined,
  status: 'created',
  statusReason: null,
  everRan: false,
  answering: true,
  deployments: [],
  onceLive: [],
};

const ACTIVE: ReadonlySet<DeploymentStatus> = new Set(['building', 'releasing']);

export const isActive = ({ status }: Deployment): boolean => ACTIVE.has(status);
export const isQueued = ({ status }: Deployment): boolean => status === 'queued';
export const isOver = (deployment: Deployment): boolean => !isActive(deployment) && !isQueued(deployment);

export const deploymentOf = (state: WebService, id: string): Deployment | undefined =>
  state.deployments.find(deployment => deployment.id === id);

/** Returns the deployment that the deployment with this id rolls back to. */
export const rollbackOrigin = (state: WebService, id: string): Deployment | undefined => {
  const of = deploymentOf(state, id)?.rollbackOf;
  return of === undefined ? undefined : deploymentOf(state, of);
};

/** Returns the deployment that is being built or released; there is at most one. */
export const activeDeployment = (state: WebService): Deployment | undefined => state.deployments.findLast(isActive);
export const liveDeployment = (state: WebService): Deployment | undefined =>
  state.deployments.findLast(({ status }) => status === 'live');

/** Whether the reconciler has work to do: the state is not final. */
export const hasWork = (state: WebService): boolean =>
  Boolean(state.requested || state.rolling || state.stopping || state.deleting) ||
  state.deployments.some(each => !isOver(each));

/** Returns the waiting start or restart, unless it begins only if a release serves, and none does yet. */
export const dueRequest = ({ requested, serving }: WebService): Request | undefined =>
  requested?.ifServing && !serving ? undefined : requested;

export const isReleasing = ({ deployments }: WebService): boolean =>
  deployments.some(({ status }) => status === 'releasing');

/** Whether a release serves, rolls out or is about to begin, so that its configuration may already be stored. */
export const runsOrStarts = (state: WebService): boolean =>
  !state.stopping &&
  !state.deleting &&
  Boolean(state.serving || state.rolling || state.requested || isReleasing(state));

/** Returns the status of a web service while no change is in progress. */
export const steadyStatus = (state: Pick<WebService, 'serving' | 'answering' | 'everRan'>): WebServiceStatus =>
  state.serving ? (state.answering ? 'running' : 'failed') : state.everRan ? 'stopped' : 'created';

/** Returns the deployments that can be rolled back to: the last previously live ones, including the live one. */
export const rollbackTargets = ({ onceLive }: WebService, retained: number): readonly string[] =>
  onceLive.slice(-retained);

/**
 * Returns the artefacts of the running releases, of deployments in progress, and of possible rollbacks. The runtime itself retains the
 * artefact of a build in progress.
 */
export function artefactsInUse(state: WebService, retained: number): ReadonlySet<string> {
  const targets = new Set(rollbackTargets(state, retained));
  const kept = state.deployments.filter(each => !isOver(each) || each.status === 'live' || targets.has(each.id));
  const running = [state.serving, state.rolling].filter(release => release !== undefined);
  return new Set([...kept, ...running].flatMap(({ artefact }) => artefact ?? []));
}

/** Number of uploads of a web service that are kept for another deployment. */
export const KEPT_UPLOADS = 3;

/** Returns the ids of the uploads that are being deployed or can be deployed again. */
export function uploadsInUse(state: WebService): ReadonlySet<string> {
  const uploads = state.deployments.filter(({ upload }) => upload !== undefined);
  const newest = [...new Set(uploads.map(({ upload }) => upload!.id).reverse())].slice(0, KEPT_UPLOADS);
  return new Set([...newest, ...uploads.filter(each => !isOver(each)).map(({ upload }) => upload!.id)]);
}

/** The port of an image that exposes none. */
const DEFAULT_PORT = 8080;

/** Returns the settings for a release of this deployment that starts now. */
export const releaseSettings = (
  { settings }: WebService,
  deployment?: Pick<Deployment, 'exposedPort'>,
): ReleaseSettings => {
  const { name, start_command, health_check_path } = settings!;
  const port = settings!.port ?? deployment?.exposedPort ?? DEFAULT_PORT;
  const { release_command = null, instance = null, drain_seconds = null, processes = {} } = settings!;
  const { health_check, first_byte_timeout_seconds: first_byte } = settings!;
  return {
    ...{ name, start_command, health_check_path, port, release_command, instance, drain_seconds, processes },
    ...(health_check && { health_check }),
    ...(first_byte && { first_byte_timeout_seconds: first_byte }),
    ...diskOf(settings!),
  };
};

/** Returns the settings of an earlier release for a new one, with the current disk, because the files on the disk are current. */
export const repeatedSettings = (state: WebService, { disk: _, ...earlier }: ReleaseSettings): ReleaseSettings => ({
  ...earlier,
  ...diskOf(state.settings!),
});

const diskOf = ({ disk }: Pick<ReleaseSettings, 'disk'>): Pick<ReleaseSettings, 'disk'> => (disk ? { disk } : {});

/** Returns the waiting deployment that can preempt the release in progress. */
export const waitingSuccessor = (state: WebService): Deployment | undefined =>
  state.deployments.findLast(
    each => isQueued(each) || (each.status === 'releasing' && each.id !== state.rolling?.id && !each.cancellation),
  );
