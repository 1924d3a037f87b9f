import type { Decider } from '@postern/event-sourcing';
import type { WebServiceCommand } from './commands.js';
import {
  beginDeployment,
  cancelDeployment,
  endCancelled,
  failDeployment,
  finishBuild,
  requestDeployment,
  requestRollback,
  resolveSource,
} from './decide-deployments.js';
import {
  create,
  endSuspension,
  failStop,
  finishStop,
  moderate,
  renewCredentials,
  reportAnswering,
  reportUnanswering,
  start,
  stop,
} from './decide-lifecycle.js';
import { abandonRelease, beginRelease, failRelease, finishRelease } from './decide-releases.js';
import { change, finishRemoval, requestDeletion } from './decide-settings.js';
import { PLATFORM, type WebServiceEvent } from './events.js';
import { evolve } from './evolve.js';
import { webServiceNotFound } from './refusals.js';
import { initial, type WebService } from './state.js';

/**
 * A web service: its lifecycle, deployments, releases and moderation. One stream contains all of them, so that concurrent commands of
 * users and the reconciler are decided one after another.
 */
export const webService: Decider<WebService, WebServiceCommand, WebServiceEvent> = {
  initial,
  evolve,
  decide: (command, state) => {
    if (command.kind === 'create') return create(command, state);
    if (state.id === undefined || ('userId' in command && command.userId !== state.userId)) throw webServiceNotFound();
    if (state.deleting || state.deleted) {
      if (isByPlatform(command)) return [];
      if (!isReport(command)) throw webServiceNotFound();
    }
    switch (command.kind) {
      case 'request-deployment':
        return requestDeployment(command, state);
      case 'request-rollback':
        return requestRollback(command, state);
      case 'cancel-deployment':
        return cancelDeployment(command, state);
      case 'start':
      case 'restart':
        return start(command, state);
      case 'stop':
        return stop(command, state);
      case 'change':
        return change(command, state);
      case 'delete':
        return requestDeletion(command, state);
      case 'finish-removal':
        return finishRemoval(command, state);
      case 'block':
      case 'unblock':
      case 'suspend':
      case 'resume':
        return moderate(command, state);
      case 'end-suspension':
        return endSuspension(command, state);
      case 'renew-credentials':
        return renewCredentials(command, state);
      case 'begin-deployment':
        return beginDeployment(command, state);
      case 'resolve-source':
        return resolveSource(command, state);
      case 'finish-build':
        return finishBuild(command, state);
      case 'fail-deployment':
        return failDeployment(command, state);
      case 'end-cancelled':
        return endCancelled(command, state);
      case 'begin-release':
        return beginRelease(command, state);
      case 'finish-release':
        return finishRelease(command, state);
      case 'fail-release':
        return failRelease(command, state);
      case 'abandon-release':
        return abandonRelease(command, state);
      case 'finish-stop':
        return finishStop(command, state);
      case 'fail-stop':
        return failStop(command, state);
      case 'report-unanswering':
        return reportUnanswering(command, state);
      case 'report-answering':
        return reportAnswering(command, state);
    }
  },
};

/** Background jobs may still process a web service shortly after its deletion. */
const isByPlatform = (command: WebServiceCommand): boolean =>
  command.kind === 'end-suspension' ||
  command.kind === 'renew-credentials' ||
  ('actorId' in command && command.actorId === PLATFORM);

/** Reports of the reconciler are still accepted during the deletion; for all other commands the web service does not exist. */
const isReport = (command: WebServiceCommand): boolean => !('userId' in command || 'actorId' in command);

export const webServiceStream = (id: string): string => `web-service-${id}`;
