import type { DeploymentStatus, WebServiceStatus } from '@postern/contracts';
import type { Because, CreatedData, ReleaseKind } from './events.js';

export interface Deployment {
  readonly id: string;
  readonly status: DeploymentStatus;
  readonly branch: string | null;
  readonly rollbackOf?: string;
  readonly commit?: string;
  readonly artefact?: string;
  /** Under which the configuration of its own release is sealed. */
  readonly configurationId?: string;
  readonly requestedAt: string;
  /** When the state it is in began; what its deadline counts from. */
  readonly since: string;
  /** Why it is to end; what it does under way is being stopped. */
  readonly cancellation?: Because;
}

export interface Release {
  readonly id: string;
  readonly kind: ReleaseKind;
  /** The deployment whose artefact it is; the one that is releasing, or the one that was live when it began. */
  readonly deploymentId: string;
  readonly artefact: string;
  readonly commit: string;
  readonly configurationId: string;
}

export type Settings = Omit<CreatedData, 'web_service_id' | 'at' | 'user_id' | 'project_id'>;

/**
 * A web service with all that was ever deployed to it. What runs, and what is to run, follows from it alone:
 * `serving` carries the traffic, `rolling` is to replace it, `requested` waits for its turn.
 */
export interface WebService {
  readonly id: string | undefined;
  readonly userId: string | undefined;
  readonly projectId: string | undefined;
  readonly settings: Settings | undefined;
  readonly status: WebServiceStatus;
  readonly statusReason: string | null;
  readonly everRan: boolean;
  /** False while what serves has not answered for long. */
  readonly answering: boolean;
  /** Oldest first. */
  readonly deployments: readonly Deployment[];
  /** Deployments in the order in which they went live. */
  readonly onceLive: readonly string[];
  readonly requested?: { readonly releaseId: string; readonly kind: 'start' | 'restart'; readonly since: string };
  readonly rolling?: Release & { readonly since: string };
  readonly serving?: Release;
  readonly stopping?: { readonly since: string };
  readonly blocked?: string;
  readonly suspended?: string;
  readonly suspendedBy?: string;
  /** What the stop was for after which nothing was to run any more. */
  readonly stoppedBecause?: Because;
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

/** The one that is built or released now; there is never a second. */
export const activeDeployment = (state: WebService): Deployment | undefined => state.deployments.findLast(isActive);
export const liveDeployment = (state: WebService): Deployment | undefined =>
  state.deployments.findLast(({ status }) => status === 'live');

/** Whether anything is left for the driver: a state that is not final. */
export const hasWork = (state: WebService): boolean =>
  Boolean(state.requested || state.rolling || state.stopping) || state.deployments.some(each => !isOver(each));

/** The status of a service that nothing is being done to. */
export const steadyStatus = (state: Pick<WebService, 'serving' | 'answering' | 'everRan'>): WebServiceStatus =>
  state.serving ? (state.answering ? 'running' : 'failed') : state.everRan ? 'stopped' : 'created';

/** The deployments that can be gone back to: the last ones that were live. What is live now is among them. */
export const rollbackTargets = ({ onceLive }: WebService, retained: number): readonly string[] =>
  onceLive.slice(-retained);

/**
 * Artefacts that something can still ask for: what serves, is live or on its way there, and what can be gone back to.
 * One that is being built is the runtime's to keep.
 */
export function artefactsInUse(state: WebService, retained: number): ReadonlySet<string> {
  const targets = new Set(rollbackTargets(state, retained));
  const kept = state.deployments.filter(each => !isOver(each) || each.status === 'live' || targets.has(each.id));
  const running = [state.serving, state.rolling].filter(release => release !== undefined);
  return new Set([...kept, ...running].flatMap(({ artefact }) => artefact ?? []));
}
