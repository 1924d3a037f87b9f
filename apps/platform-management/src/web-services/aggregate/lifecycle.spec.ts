import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import {
  abandoned,
  answering,
  at,
  begun,
  blocked,
  built,
  cancelled,
  cancelling,
  created,
  deployed,
  failed,
  live,
  releaseBegun,
  releaseFailed,
  requested,
  restartRequested,
  served,
  startRequested,
  stopFailed,
  stopped,
  stopRequested,
  superseded,
  suspended,
  unanswering,
} from '../../testing/web-service-history.js';
import { PLATFORM, type WebServiceEvent } from './events.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const running = [created, ...deployed('d1')];
const start = (releaseId = 'r1') => ({ kind: 'start', userId: 'ada', releaseId, at }) as const;
const restart = (releaseId = 'r1') => ({ kind: 'restart', userId: 'ada', releaseId, at }) as const;
const stop = { kind: 'stop', userId: 'ada', at } as const;
const begin = (releaseId: string) => ({ kind: 'begin-release', releaseId, at }) as const;
const finish = (releaseId: string) => ({ kind: 'finish-release', releaseId, at }) as const;
const fail = (releaseId: string, reason = 'no answer') => ({ kind: 'fail-release', releaseId, reason, at }) as const;
const abandon = (releaseId: string) => ({ kind: 'abandon-release', releaseId, at }) as const;

describe('starting and restarting', () => {
  it('requests a new release of the live artefact', () => {
    given(...running)
      .when(start())
      .yields(startRequested('r1'));
    given(...running)
      .when(restart())
      .yields(restartRequested('r1'));
    given(...running, startRequested('r1'))
      .when(begin('r1'))
      .yields(releaseBegun('r1', 'starting', { kind: 'start', of: 'd1' }));
  });

  it('has no effect while the same request waits', () => {
    given(...running, startRequested('r1'))
      .when(start('r2'))
      .yields();
    given(...running, startRequested('r1'))
      .when(restart('r2'))
      .yields(restartRequested('r2'));
  });

  it('is a new request once the release of the first one has begun', () =>
    given(...running, startRequested('r1'), releaseBegun('r1', 'starting', { kind: 'start', of: 'd1' }))
      .when(start('r2'))
      .yields(startRequested('r2')));

  it('requires a live deployment', () => {
    given(created).when(start()).refuses('nothing_to_start', 'no successful deployment to start; create one first');
    given(created).when(restart()).refuses('never_ran');
    given(created, requested('d1'), begun('d1')).when(start()).refuses('nothing_to_start');
  });

  it('is refused for blocked and suspended services', () => {
    given(...running, blocked)
      .when(start())
      .refuses('service_blocked', 'phishing');
    given(...running, suspended)
      .when(restart())
      .refuses('service_suspended', 'bandwidth');
  });

  it('starts a stopped web service', () =>
    given(...running, stopRequested(), stopped())
      .when(start())
      .yields(startRequested('r1')));
});

describe('a release', () => {
  const building = [requested('d2'), begun('d2'), built('d2')];
  const rolling = [...building, releaseBegun('d2', 'running')];

  it('begins when no other change is in progress', () => {
    given(...running, ...building)
      .when(begin('d2'))
      .yields(releaseBegun('d2', 'running'));
    given(...running, ...building, stopRequested())
      .when(begin('d2'))
      .yields();
    given(...running, ...rolling, startRequested('r1'))
      .when(begin('r1'))
      .yields();
  });

  it('of the first deployment sets the status to starting, then to running', () => {
    const first = [created, requested('d1'), begun('d1'), built('d1')];
    given(...first)
      .when(begin('d1'))
      .yields(releaseBegun('d1', 'starting'));
    given(...first, releaseBegun('d1'))
      .when(finish('d1'))
      .yields(served('d1'), live('d1'));
  });

  it('that serves supersedes what was live', () =>
    given(...running, ...rolling)
      .when(finish('d2'))
      .yields(served('d2'), live('d2'), superseded('d1', 'd2')));

  it('of a start leaves the deployment live', () =>
    given(...running, startRequested('r1'), releaseBegun('r1', 'starting', { kind: 'start', of: 'd1' }))
      .when(finish('r1'))
      .yields(served('r1')));

  it('that fails without a previous one makes the web service failed', () =>
    given(created, requested('d1'), begun('d1'), built('d1'), releaseBegun('d1'))
      .when(fail('d1'))
      .yields(releaseFailed('d1', 'no answer', 'failed', 'no answer'), failed('d1', 'no answer')));

  it('that fails while another serves does not change the web service', () =>
    given(...running, ...rolling)
      .when(fail('d2'))
      .yields(releaseFailed('d2', 'no answer', 'running', null), failed('d2', 'no answer')));

  it('of a restart that fails records the reason, and the previous release keeps serving', () =>
    given(...running, restartRequested('r1'), releaseBegun('r1', 'restarting', { kind: 'restart', of: 'd1' }))
      .when(fail('r1'))
      .yields(releaseFailed('r1', 'no answer', 'running', 'no answer')));

  it('of a start that could not begin fails as well', () =>
    given(...running, stopRequested(), stopped(), startRequested('r1'))
      .when(fail('r1'))
      .yields(releaseFailed('r1', 'no answer', 'failed', 'no answer')));

  it('keeps the status of a later request', () => {
    given(...running, ...rolling, restartRequested('r1'))
      .when(finish('d2'))
      .yields(served('d2', 'restarting'), live('d2'), superseded('d1', 'd2'));
    given(...running, ...rolling, stopRequested())
      .when(finish('d2'))
      .yields(served('d2', 'stopping'), live('d2'), superseded('d1', 'd2'));
  });

  it('ends at a cancellation, and the web service stays as it was', () => {
    given(...running, ...rolling, cancelling('d2'))
      .when(abandon('d2'))
      .yields(abandoned('d2', 'running'), cancelled('d2'));
    given(created, requested('d1'), begun('d1'), built('d1'), releaseBegun('d1'), cancelling('d1'))
      .when(abandon('d1'))
      .yields(abandoned('d1', 'created'), cancelled('d1'));
  });

  it('ends once', () => {
    given(...running)
      .when(finish('d1'))
      .yields();
    given(...running)
      .when(fail('d1'))
      .yields();
    given(...running)
      .when(abandon('d1'))
      .yields();
  });
});

describe('stopping', () => {
  it('ends what runs', () => {
    given(...running)
      .when(stop)
      .yields(stopRequested());
    given(...running, stopRequested())
      .when({ kind: 'finish-stop', at })
      .yields(stopped());
  });

  it('cancels deployments: queued ones at once, active ones through the reconciler', () =>
    given(...running, requested('d2'), begun('d2'), requested('d3'))
      .when(stop)
      .yields(cancelling('d2', 'stop'), cancelled('d3', 'stop'), stopRequested()));

  it('is allowed during the first deployment, and refused before', () => {
    given(created, requested('d1'), begun('d1')).when(stop).yields(cancelling('d1', 'stop'), stopRequested());
    given(created).when(stop).refuses('never_ran');
    given(created, requested('d1'), cancelled('d1')).when(stop).refuses('never_ran');
  });

  it('is asked for once', () =>
    given(...running, stopRequested())
      .when(stop)
      .yields());

  it('cancels a waiting start', () =>
    given(...running, stopRequested(), startRequested('r1'))
      .when(stop)
      .yields(stopRequested()));

  it('is followed by a start that was requested meanwhile', () =>
    given(...running, stopRequested(), startRequested('r1'))
      .when({ kind: 'finish-stop', at })
      .yields(stopped('starting')));

  it('does not end during a release', () =>
    given(...running, requested('d2'), begun('d2'), built('d2'), releaseBegun('d2', 'running'), stopRequested())
      .when({ kind: 'finish-stop', at })
      .yields());

  it('that fails makes the web service failed', () =>
    given(...running, stopRequested())
      .when({ kind: 'fail-stop', reason: 'hangs', at })
      .yields(stopFailed('hangs')));
});

describe('moderation', () => {
  const block = { kind: 'block', actorId: 'operator', reason: 'phishing', at } as const;

  it('stops what runs and cancels what is deployed', () =>
    given(...running, requested('d2'), begun('d2'))
      .when(block)
      .yields(blocked, cancelling('d2', 'block'), stopRequested('block')));

  it('only flags a web service that does not run', () => {
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

  it('lets the owner act again when it ends; ending a missing flag has no effect', () => {
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

describe('a web service that does not answer', () => {
  const report = { kind: 'report-unanswering', releaseId: 'd1', reason: 'exit 1', at } as const;

  it('is failed until it answers again', () => {
    given(...running)
      .when(report)
      .yields(unanswering('exit 1'));
    given(...running, unanswering('exit 1'))
      .when({ kind: 'report-answering', releaseId: 'd1', at })
      .yields(answering);
  });

  it('does not fail for an older release or during a change', () => {
    given(...running, ...deployed('d2', 'd1'))
      .when(report)
      .yields();
    given(...running, startRequested('r1'))
      .when(report)
      .yields();
    given(...running, stopRequested())
      .when(report)
      .yields();
    given(...running, unanswering('exit 1'))
      .when(report)
      .yields();
  });

  it('stays failed when the next release fails too', () =>
    given(
      ...running,
      unanswering('exit 1'),
      restartRequested('r1'),
      releaseBegun('r1', 'restarting', { kind: 'restart', of: 'd1' }),
    )
      .when(fail('r1'))
      .yields(releaseFailed('r1', 'no answer', 'failed', 'no answer')));
});

describe('the history of a web service', () => {
  foldsEveryFixture(join(import.meta.dirname, 'fixtures/web-service'), webService);
});

describe('a suspension by the platform', () => {
  const byPlatform: WebServiceEvent = {
    type: 'platform-management.web-service-suspended.v1',
    data: { web_service_id: 'shop', actor_id: PLATFORM, reason: 'bandwidth', at },
  };
  const lift = { kind: 'lift-suspension', releaseId: 's9', reason: 'a new month', at } as const;
  const lifted: WebServiceEvent = {
    type: 'platform-management.web-service-resumed.v1',
    data: { web_service_id: 'shop', actor_id: PLATFORM, reason: 'a new month', at },
  };
  const ended = [byPlatform, stopRequested('suspend'), stopped()];

  it('is lifted by the platform, which starts what it stopped', () => {
    given(...running, ...ended)
      .when(lift)
      .yields(lifted, startRequested('s9'));
    given(...running, byPlatform, stopRequested('suspend'))
      .when(lift)
      .yields(lifted, startRequested('s9'));
  });

  it('does not start a web service that was not running', () => {
    given(...running, stopRequested(), stopped(), byPlatform)
      .when(lift)
      .yields(lifted);
    given(created, byPlatform).when(lift).yields(lifted);
  });

  it('does not start a blocked web service', () =>
    given(...running, ...ended, blocked)
      .when(lift)
      .yields(lifted));

  it('ends with an operator who resumes the web service, or becomes the operator’s who suspends it too', () => {
    given(created, suspended).when(lift).yields();
    given(...running, ...ended, lifted)
      .when(lift)
      .yields();
    const byOperator = { kind: 'suspend', actorId: 'operator', reason: 'bandwidth', at } as const;
    given(...running, ...ended)
      .when(byOperator)
      .yields(suspended);
    given(...running, ...ended, suspended)
      .when(lift)
      .yields();
  });

  it('does not replace a suspension by an operator', () =>
    given(created, suspended).when({ kind: 'suspend', actorId: PLATFORM, reason: 'bandwidth', at }).yields());
});
