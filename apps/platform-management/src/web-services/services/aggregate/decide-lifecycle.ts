import { Refusal } from '@postern/contracts/refusal';
import type { CreateCommand, OperatorCommand, OwnerCommand, PlatformCommand, ReconcilerCommand } from './commands.js';
import { cancelAll } from './decide-deployments.js';
import { type Cause, PLATFORM, type WebServiceEvent } from './events.js';
import { evolve } from './evolve.js';
import { refuseFlagged } from './refusals.js';
import { dueRequest, isOver, liveDeployment, runsOrStarts, type WebService } from './state.js';

type Command<Kind> = Extract<OwnerCommand | OperatorCommand | PlatformCommand | ReconcilerCommand, { kind: Kind }>;

export function create({ kind: _, ...data }: CreateCommand, state: WebService): WebServiceEvent[] {
  // Concurrent events of a pull request create its preview under one id.
  if (state.id !== undefined && data.preview) return [];
  if (state.id !== undefined) throw new Error(`the web service ${state.id} exists already`);
  return [{ type: 'platform-management.web-service-created.v1', data }];
}

/** A repeated request has no effect while the first one is waiting. */
export function start(
  { kind, releaseId, at }: { kind: 'start' | 'restart'; releaseId: string; at: string },
  state: WebService,
): WebServiceEvent[] {
  refuseFlagged(state);
  if (kind === 'restart' && !state.everRan) {
    throw new Refusal('never_ran', 'the web service has never run; create a deployment first');
  }
  if (!liveDeployment(state)) {
    throw new Refusal('nothing_to_start', 'no successful deployment to start; create one first');
  }
  if (state.requested?.kind === kind && !state.requested.ifServing) return [];
  const data = { web_service_id: state.id!, release_id: releaseId, status_reason: null, at };
  return kind === 'start'
    ? [{ type: 'platform-management.web-service-start-requested.v1', data: { ...data, status: 'starting' } }]
    : [{ type: 'platform-management.web-service-restart-requested.v1', data: { ...data, status: 'restarting' } }];
}

/**
 * Requests a restart of a web service that may have the earlier credentials. It replaces a waiting request, whose configuration may
 * already be stored. If only a deployment starts instances, the restart depends on its success.
 */
export function renewCredentials(
  { releaseId, at }: Command<'renew-credentials'>,
  state: WebService,
): WebServiceEvent[] {
  if (!runsOrStarts(state)) return [];
  const { id, serving, rolling, status, statusReason } = state;
  const starts = dueRequest(state) || (rolling && rolling.kind !== 'deployment');
  const data = { web_service_id: id!, release_id: releaseId, at };
  return [
    {
      type: 'platform-management.web-service-restart-requested.v1',
      data:
        serving || starts
          ? { ...data, status: 'restarting', status_reason: null }
          : { ...data, status, status_reason: statusReason, if_serving: true },
    },
  ];
}

export function stop({ at }: Command<'stop'>, state: WebService): WebServiceEvent[] {
  refuseFlagged(state);
  if (!state.everRan && state.deployments.every(isOver)) {
    throw new Refusal(
      'never_ran',
      'the web service has never run, so there is nothing to stop; create a deployment first',
    );
  }
  return stopAndCancelAll(state, 'stop', at);
}

/** Cancels deployments and requests a stop of all instances, including those of a release in progress. */
export function stopAndCancelAll(state: WebService, because: Cause, at: string): WebServiceEvent[] {
  const cancellations = cancelAll(state, because, at);
  if (state.stopping && !state.requested) return cancellations;
  return [
    ...cancellations,
    {
      type: 'platform-management.web-service-stop-requested.v1',
      data: { web_service_id: state.id!, because, status: 'stopping', status_reason: null, at },
    },
  ];
}

export function finishStop({ at }: Command<'finish-stop'>, state: WebService): WebServiceEvent[] {
  if (!state.stopping || state.rolling) return [];
  const status = state.requested ? state.status : state.everRan ? 'stopped' : 'created';
  return [
    {
      type: 'platform-management.web-service-stopped.v1',
      data: { web_service_id: state.id!, status, status_reason: null, at },
    },
  ];
}

/** After a failed stop the web service no longer serves; the reconciliation continues to stop its instances. */
export function failStop({ reason, at }: Command<'fail-stop'>, state: WebService): WebServiceEvent[] {
  if (!state.stopping || state.rolling) return [];
  return [
    {
      type: 'platform-management.web-service-stop-failed.v1',
      data: {
        web_service_id: state.id!,
        status: state.requested ? state.status : 'failed',
        status_reason: reason,
        at,
      },
    },
  ];
}

/** Applies only to the serving release, and only while no change is in progress. */
export function reportUnanswering(
  { releaseId, reason, at }: Command<'report-unanswering'>,
  state: WebService,
): WebServiceEvent[] {
  if (!isSteady(state, releaseId) || !state.answering) return [];
  return [
    {
      type: 'platform-management.web-service-unanswering.v1',
      data: { web_service_id: state.id!, status: 'failed', status_reason: reason, at },
    },
  ];
}

export function reportAnswering({ releaseId, at }: Command<'report-answering'>, state: WebService): WebServiceEvent[] {
  if (!isSteady(state, releaseId) || state.answering) return [];
  return [
    {
      type: 'platform-management.web-service-answering.v1',
      data: { web_service_id: state.id!, status: 'running', status_reason: null, at },
    },
  ];
}

const isSteady = (state: WebService, releaseId: string): boolean =>
  state.serving?.id === releaseId && !state.requested && !state.stopping && !state.rolling;

/**
 * A flag keeps its first reason. An operator can take over a suspension by the platform, which then lasts until an operator resumes
 * the web service. Removing a missing flag has no effect.
 */
export function moderate(
  command: Command<'block' | 'suspend' | 'unblock' | 'resume'>,
  state: WebService,
): WebServiceEvent[] {
  const { actorId, at } = command;
  const data = { web_service_id: state.id!, actor_id: actorId, reason: command.reason ?? null, at };
  switch (command.kind) {
    case 'block':
      if (state.blocked !== undefined) return [];
      return [{ type: 'platform-management.web-service-blocked.v1', data }, ...stopIfRunning(state, 'block', at)];
    case 'suspend':
      if (state.suspended !== undefined && !(isByPlatform(state) && actorId !== PLATFORM)) return [];
      return [{ type: 'platform-management.web-service-suspended.v1', data }, ...stopIfRunning(state, 'suspend', at)];
    case 'unblock':
      return state.blocked === undefined ? [] : [{ type: 'platform-management.web-service-unblocked.v1', data }];
    case 'resume':
      return state.suspended === undefined ? [] : [{ type: 'platform-management.web-service-resumed.v1', data }];
  }
}

/** Starts the web service again if the suspension stopped it, unless it is also blocked. */
export function endSuspension(
  { reason, releaseId, at }: Command<'end-suspension'>,
  state: WebService,
): WebServiceEvent[] {
  if (!isByPlatform(state)) return [];
  const resumed: WebServiceEvent = {
    type: 'platform-management.web-service-resumed.v1',
    data: { web_service_id: state.id!, actor_id: PLATFORM, reason, at },
  };
  const starts = state.stoppedBecause === 'suspend' && state.blocked === undefined && liveDeployment(state);
  return starts ? [resumed, ...start({ kind: 'start', releaseId, at }, evolve(state, resumed))] : [resumed];
}

const isByPlatform = ({ suspended, suspendedBy }: WebService): boolean =>
  suspended !== undefined && suspendedBy === PLATFORM;

const stopIfRunning = (state: WebService, because: Cause, at: string): WebServiceEvent[] =>
  state.serving || state.rolling || state.requested
    ? stopAndCancelAll(state, because, at)
    : cancelAll(state, because, at);
