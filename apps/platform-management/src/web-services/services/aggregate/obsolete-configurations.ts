import type { WebServiceEvent } from './events.js';
import { evolve } from './evolve.js';
import { initial, isOver, rollbackTargets, type WebService } from './state.js';

/**
 * Returns the ids of configurations that no later event can use, given a history up to some time. This includes configurations of
 * releases that never started.
 */
export function obsoleteConfigurations(history: readonly WebServiceEvent[], retained: number): readonly string[] {
  const inUse = configurationsInUse(history.reduce(evolve, initial), retained);
  return history.flatMap(event => configurationIdOf(event) ?? []).filter(id => !inUse.has(id));
}

/** Returns the id of the request, under which its release stores the configuration. */
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

/** Returns the configurations of running releases, of deployments in progress, and of possible rollbacks. */
function configurationsInUse(state: WebService, retained: number): ReadonlySet<string> {
  const targets = new Set(rollbackTargets(state, retained));
  const kept = state.deployments.filter(each => !isOver(each) || each.status === 'live' || targets.has(each.id));
  // The origin of a rollback in progress may have left the retained deployments since the request.
  const origins = kept.flatMap(each => (isOver(each) || !each.rollbackOf ? [] : each.rollbackOf));
  const releases = [state.serving, state.rolling].flatMap(release => release?.configurationId ?? []);
  return new Set([
    ...kept.map(({ id }) => id),
    ...origins,
    ...releases,
    ...(state.requested ? [state.requested.releaseId] : []),
  ]);
}
