import type { WebServiceEvent } from './events.js';
import { evolve } from './evolve.js';
import { deploymentOf, initial, isOver, rollbackTargets, type WebService } from './state.js';

/**
 * Configurations of releases that nothing can ask for any more, by a history up to some time: none of them is ever
 * needed again, whatever follows. One that was sealed for a release that never began is among them.
 */
export function configurationsOver(history: readonly WebServiceEvent[], retained: number): readonly string[] {
  const inUse = configurationsInUse(history.reduce(evolve, initial), retained);
  return history.flatMap(event => sealedFor(event) ?? []).filter(id => !inUse.has(id));
}

/** A release seals its configuration under the id that it was asked for with. */
function sealedFor({ type, data }: WebServiceEvent): string | undefined {
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

/** What runs, what is on its way, and what can be gone back to, as it was. */
function configurationsInUse(state: WebService, retained: number): ReadonlySet<string> {
  const targets = new Set(rollbackTargets(state, retained));
  const kept = state.deployments.filter(each => !isOver(each) || each.status === 'live' || targets.has(each.id));
  // One that a rollback under way goes back to may have become too old since that was asked for.
  const origins = kept.flatMap(each => (isOver(each) || !each.rollbackOf ? [] : each.rollbackOf));
  const releases = [state.serving, state.rolling].flatMap(release => release?.configurationId ?? []);
  return new Set([
    ...kept.map(each => each.configurationId ?? each.id),
    ...origins.flatMap(id => deploymentOf(state, id)?.configurationId ?? []),
    ...releases,
    ...(state.requested ? [state.requested.releaseId] : []),
  ]);
}
