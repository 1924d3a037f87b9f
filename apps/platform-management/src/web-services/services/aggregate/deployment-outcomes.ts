import type { WebServiceEvent } from './events.js';
import { evolve } from './evolve.js';
import { type Deployment, deploymentOf, isOver, type WebService } from './state.js';

export const STAGES = ['queued', 'building', 'releasing'] as const;
export type Stage = (typeof STAGES)[number];

/** Outcomes of deployments: `rolled_back` follows `live`, all others end a deployment in progress. */
export type Outcome = 'live' | 'failed' | 'cancelled' | 'superseded' | 'rolled_back';

export interface DeploymentOutcome {
  readonly outcome: Outcome;
  /** The stage in which it ended; undefined after live. */
  readonly stage: Stage | undefined;
  readonly kind: 'deployment' | 'rollback';
  /** Seconds since its request. */
  readonly seconds: number;
}

export interface BuildOutcome {
  readonly result: 'built' | 'failed' | 'cancelled';
  readonly seconds: number;
}

export interface Outcomes {
  readonly deployments: readonly DeploymentOutcome[];
  readonly builds: readonly BuildOutcome[];
}

/**
 * Returns the outcomes of deployments and builds in the events that follow a state. A live deployment that is superseded by a newer one
 * has no second outcome.
 */
export function outcomesIn(before: WebService, events: readonly WebServiceEvent[]): Outcomes {
  const deployments: DeploymentOutcome[] = [];
  const builds: BuildOutcome[] = [];
  let state = before;
  for (const event of events) {
    const deployment = 'deployment_id' in event.data ? deploymentOf(state, event.data.deployment_id) : undefined;
    const outcome = OUTCOMES[event.type];
    if (deployment && outcome && (isInProgress(deployment) || outcome === 'rolled_back'))
      deployments.push({
        outcome,
        stage: isInProgress(deployment) ? deployment.status : undefined,
        kind: deployment.rollbackOf === undefined ? 'deployment' : 'rollback',
        seconds: secondsBetween(deployment.requestedAt, event.data.at),
      });
    const result = BUILD_RESULTS[event.type];
    if (deployment?.status === 'building' && result)
      builds.push({ result, seconds: secondsBetween(deployment.since, event.data.at) });
    state = evolve(state, event);
  }
  return { deployments, builds };
}

const OUTCOMES: Readonly<Partial<Record<WebServiceEvent['type'], Outcome>>> = {
  'platform-management.deployment-live.v1': 'live',
  'platform-management.deployment-failed.v1': 'failed',
  'platform-management.deployment-cancelled.v1': 'cancelled',
  'platform-management.deployment-superseded.v1': 'superseded',
  'platform-management.deployment-rolled-back.v1': 'rolled_back',
};

const BUILD_RESULTS: Readonly<Partial<Record<WebServiceEvent['type'], BuildOutcome['result']>>> = {
  'platform-management.deployment-built.v1': 'built',
  'platform-management.deployment-failed.v1': 'failed',
  'platform-management.deployment-cancelled.v1': 'cancelled',
};

const isInProgress = (deployment: Deployment): deployment is Deployment & { readonly status: Stage } =>
  !isOver(deployment);

/** At least 0, because the clocks of two replicas may differ. */
const secondsBetween = (from: string, until: string): number =>
  Math.max(0, (Date.parse(until) - Date.parse(from)) / 1_000);
