import type { WebServiceEvent } from './events.js';
import { evolve } from './evolve.js';
import { deploymentOf, initial, isOver, rollbackTargets, type WebService } from './state.js';

/**
 * Ids of configurations that no later event can need, given a history up to some time. Includes configurations that
 * were stored for a release that never began.
 */
export function obsoleteConfigurations(history: readonly WebServiceEvent[], retained: number): readonly string[] {
  const inUse = configurationsInUse(history.reduce(evolve, initial), retained);
  return history.flatMap(event => configurationIdOf(event) ?? []).filter(id => !inUse.has(id));
}

/** A release stores its configuration under the id of its request. */
function configurationIdOf({ type, data }: WebServiceEvent): string | undefined {
  switch (type) {
    case 'platform-management.deployment-requested.v1':
    case 'platform-management.rollback-requested.v1':
      return data.deployment_id;
    case 'platform-management.web-service-start-requested.v1':
    case 'platform-management.web-service-restart-requested.v1':
      return data.release_id;
    default:
      return undefined;
  }
}

/** Configurations of what runs, of deployments in progress, and of possible rollbacks. */
function configurationsInUse(state: WebService, retained: number): ReadonlySet<string> {
  const targets = new Set(rollbackTargets(state, retained));
  const kept = state.deployments.filter(each => !isOver(each) || each.status === 'live' || targets.has(each.id));
  // The origin of a rollback in progress may have become too old since the request.
  const origins = kept.flatMap(each => (isOver(each) || !each.rollbackOf ? [] : each.rollbackOf));
  const releases = [state.serving, state.rolling].flatMap(release => release?.configurationId ?? []);
  return new Set([
    ...kept.map(each => each.configurationId ?? each.id),
    ...origins.flatMap(id => deploymentOf(state, id)?.configurationId ?? []),
    ...releases,
    ...(state.requested ? [state.requested.releaseId] : []),
  ]);
}
