import { describe, it } from '@jest/globals';
import { specificationOf } from '@postern/event-sourcing/testing';
import {
  at,
  begun,
  blocked,
  cancelling,
  created,
  deployed,
  requested,
  startRequested,
  stopped,
  stopRequested,
  suspended,
} from '../../../testing/web-service-history.js';
import { PLATFORM, type WebServiceEvent } from './events.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const running = [created, ...deployed('d1')];
const stop = { kind: 'stop', userId: 'ada', at } as const;

describe('moderation', () => {
  const block = { kind: 'block', actorId: 'operator', reason: 'phishing', at } as const;

  it('stops the web service and cancels its deployments', () =>
    given(...running, requested('d2'), begun('d2'))
      .when(block)
      .yields(blocked, cancelling('d2', 'block'), stopRequested('block')));

  it('only flags a web service that is not running', () => {
    given(created).when(block).yields(blocked);
    given(...running, stopRequested(), stopped())
      .when(block)
      .yields(blocked);
  });

  it('keeps the first reason', () =>
    given(...running, blocked)
      .when({ ...block, reason: 'another' })
      .yields());

  it('cancels a start that waits for a stop', () =>
    given(...running, stopRequested(), startRequested('r1'))
      .when(block)
      .yields(blocked, stopRequested('block')));

  it('blocks and suspends independently', () =>
    given(created, blocked).when({ kind: 'suspend', actorId: 'operator', reason: 'bandwidth', at }).yields(suspended));

  it('permits commands of the owner again when it ends; ending a missing flag has no effect', () => {
    const unblock = { kind: 'unblock', actorId: 'operator', reason: undefined, at } as const;
    given(created, blocked)
      .when(unblock)
      .yields({
        type: 'platform-management.web-service-unblocked.v1',
        data: { web_service_id: 'shop', actor_id: 'operator', reason: null, at },
      });
    given(created).when(unblock).yields();
  });

  it('refuses even a stop by the owner', () =>
    given(...running, blocked)
      .when(stop)
      .refuses('service_blocked'));
});

describe('a suspension by the platform', () => {
  const byPlatform: WebServiceEvent = {
    type: 'platform-management.web-service-suspended.v1',
    data: { web_service_id: 'shop', actor_id: PLATFORM, reason: 'bandwidth', at },
  };
  const end = { kind: 'end-suspension', releaseId: 's9', reason: 'a new month', at } as const;
  const endedByPlatform: WebServiceEvent = {
    type: 'platform-management.web-service-resumed.v1',
    data: { web_service_id: 'shop', actor_id: PLATFORM, reason: 'a new month', at },
  };
  const ended = [byPlatform, stopRequested('suspend'), stopped()];

  it('is ended by the platform, which starts the stopped web service again', () => {
    given(...running, ...ended)
      .when(end)
      .yields(endedByPlatform, startRequested('s9'));
    given(...running, byPlatform, stopRequested('suspend'))
      .when(end)
      .yields(endedByPlatform, startRequested('s9'));
  });

  it('does not start a web service that was not running', () => {
    given(...running, stopRequested(), stopped(), byPlatform)
      .when(end)
      .yields(endedByPlatform);
    given(created, byPlatform).when(end).yields(endedByPlatform);
  });

  it('does not start a blocked web service', () =>
    given(...running, ...ended, blocked)
      .when(end)
      .yields(endedByPlatform));

  it('is ended by an operator who resumes the web service, and replaced by a suspension by an operator', () => {
    given(created, suspended).when(end).yields();
    given(...running, ...ended, endedByPlatform)
      .when(end)
      .yields();
    const byOperator = { kind: 'suspend', actorId: 'operator', reason: 'bandwidth', at } as const;
    given(...running, ...ended)
      .when(byOperator)
      .yields(suspended);
    given(...running, ...ended, suspended)
      .when(end)
      .yields();
  });

  it('does not replace a suspension by an operator', () =>
    given(created, suspended).when({ kind: 'suspend', actorId: PLATFORM, reason: 'bandwidth', at }).yields());
});
