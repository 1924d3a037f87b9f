import type { DeploymentStatus, WebServiceStatus } from '@postern/contracts';
import type { Cause, ReleaseKind, ReleaseSettings, Settings } from './events.js';

export interface Deployment {
  readonly id: string;
  readonly status: DeploymentStatus;
  readonly branch: string | null;
  readonly rollbackOf?: string;
  readonly commit?: string;
  readonly artefact?: string;
  /** The id of the encrypted configuration of its release. */
  readonly configurationId?: string;
  /** The settings of its release. */
  readonly settings?: ReleaseSettings;
  readonly requestedAt: string;
  /** When its current status began, from which its deadline counts. */
  readonly since: string;
  /** Why it is being cancelled. */
  readonly cancellation?: Cause;
}

export interface Release {
  readonly id: string;
  readonly kind: ReleaseKind;
  /** The deployment of its artefact: the one being released, or the live one for a start. */
  readonly deploymentId: string;
  readonly artefact: string;
  readonly commit: string;
  readonly configurationId: string;
  /** Absent in releases of earlier versions of the platform. */
  readonly settings?: ReleaseSettings;
}

/**
 * A web service with all of its deployments. It determines what runs and what is to run: `serving` has the traffic,
 * `rolling` is to replace it, `requested` waits.
 */
export interface WebService {
  readonly id: string | undefined;
  readonly userId: string | undefined;
  readonly projectId: string | undefined;
  readonly settings: Settings | undefined;
  readonly status: WebServiceStatus;
  readonly statusReason: string | null;
  readonly everRan: boolean;
  /** False while the serving release does not respond. */
  readonly answering: boolean;
  /** Oldest first. */
  readonly deployments: readonly Deployment[];
  /** Deployments in the order in which they went live. */
  readonly onceLive: readonly string[];
  readonly requested?: { readonly releaseId: string; readonly kind: 'start' | 'restart'; readonly since: string };
  readonly rolling?: Release & { readonly since: string };
  readonly serving?: Release;
  readonly stopping?: { readonly since: string };
  /** From the request for its deletion until nothing of it is left. */
  readonly deleting?: { readonly since: string };
  readonly deleted?: true;
  readonly blocked?: string;
  readonly suspended?: string;
  readonly suspendedBy?: string;
  /** Why the last stop was requested, until something is to run again. */
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

/** The deployment that is being built or released; there is at most one. */
export const activeDeployment = (state: WebService): Deployment | undefined => state.deployments.findLast(isActive);
export const liveDeployment = (state: WebService): Deployment | undefined =>
  state.deployments.findLast(({ status }) => status === 'live');

/** Whether the reconciler has work to do: the state is not final. */
export const hasWork = (state: WebService): boolean =>
  Boolean(state.requested || state.rolling || state.stopping || state.deleting) ||
  state.deployments.some(each => !isOver(each));

/** The status of a web service while no change is in progress. */
export const steadyStatus = (state: Pick<WebService, 'serving' | 'answering' | 'everRan'>): WebServiceStatus =>
  state.serving ? (state.answering ? 'running' : 'failed') : state.everRan ? 'stopped' : 'created';

/** The deployments that can be rolled back to: the last ones that were live, including the live one. */
export const rollbackTargets = ({ onceLive }: WebService, retained: number): readonly string[] =>
  onceLive.slice(-retained);

/**
 * Artefacts of what serves, of deployments in progress, and of possible rollbacks. The runtime itself keeps the
 * artefact of a build in progress.
 */
export function artefactsInUse(state: WebService, retained: number): ReadonlySet<string> {
  const targets = new Set(rollbackTargets(state, retained));
  const kept = state.deployments.filter(each => !isOver(each) || each.status === 'live' || targets.has(each.id));
  const running = [state.serving, state.rolling].filter(release => release !== undefined);
  return new Set([...kept, ...running].flatMap(({ artefact }) => artefact ?? []));
}

/** The settings that a release started now would have. */
export const releaseSettings = ({ settings }: WebService): ReleaseSettings => {
  const { name, start_command, health_check_path, port } = settings!;
  const { release_command = null, instance = null, drain_seconds = null, processes = {} } = settings!;
  return {
    ...{ name, start_command, health_check_path, port, release_command, instance, drain_seconds, processes },
    ...diskOf(settings!),
  };
};

/** The settings of an earlier release for another one. The disk is no part of it: its files are those of today. */
export const repeatedSettings = (state: WebService, { disk: _, ...earlier }: ReleaseSettings): ReleaseSettings => ({
  ...earlier,
  ...diskOf(state.settings!),
});

const diskOf = ({ disk }: ReleaseSettings): Pick<ReleaseSettings, 'disk'> => (disk ? { disk } : {});

/** The deployment for which a release in progress is given up once that has had its chance. */
export const waitingSuccessor = (state: WebService): Deployment | undefined =>
  state.deployments.findLast(
    each => isQueued(each) || (each.status === 'releasing' && each.id !== state.rolling?.id && !each.cancellation),
  );
