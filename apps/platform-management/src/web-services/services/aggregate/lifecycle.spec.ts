import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { begin, fail } from '../../../testing/release-commands.js';
import {
  answering,
  at,
  begun,
  blocked,
  built,
  cancelled,
  cancelling,
  created,
  deployed,
  releaseBegun,
  releaseFailed,
  requested,
  restartRequested,
  startRequested,
  stopFailed,
  stopped,
  stopRequested,
  suspended,
  unanswering,
} from '../../../testing/web-service-history.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const running = [created, ...deployed('d1')];
const start = (releaseId = 'r1') => ({ kind: 'start', userId: 'ada', releaseId, at }) as const;
const restart = (releaseId = 'r1') => ({ kind: 'restart', userId: 'ada', releaseId, at }) as const;
const stop = { kind: 'stop', userId: 'ada', at } as const;

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

  it('has no effect while the same request is waiting', () => {
    given(...running, startRequested('r1'))
      .when(start('r2'))
      .yields();
    given(...running, startRequested('r1'))
      .when(restart('r2'))
      .yields(restartRequested('r2'));
  });

  it('is a new request once the release of the first one has started', () =>
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

describe('stopping', () => {
  it('ends all instances', () => {
    given(...running)
      .when(stop)
      .yields(stopRequested());
    given(...running, stopRequested())
      .when({ kind: 'finish-stop', at })
      .yields(stopped());
  });

  it('cancels deployments: queued ones immediately, active ones through the reconciler', () =>
    given(...running, requested('d2'), begun('d2'), requested('d3'))
      .when(stop)
      .yields(cancelling('d2', 'stop'), cancelled('d3', 'stop'), stopRequested()));

  it('is allowed during the first deployment, and refused before it', () => {
    given(created, requested('d1'), begun('d1')).when(stop).yields(cancelling('d1', 'stop'), stopRequested());
    given(created).when(stop).refuses('never_ran');
    given(created, requested('d1'), cancelled('d1')).when(stop).refuses('never_ran');
  });

  it('is requested once', () =>
    given(...running, stopRequested())
      .when(stop)
      .yields());

  it('cancels a waiting start', () =>
    given(...running, stopRequested(), startRequested('r1'))
      .when(stop)
      .yields(stopRequested()));

  it('is followed by a start that was requested in the meantime', () =>
    given(...running, stopRequested(), startRequested('r1'))
      .when({ kind: 'finish-stop', at })
      .yields(stopped('starting')));

  it('does not end during a release', () =>
    given(...running, requested('d2'), begun('d2'), built('d2'), releaseBegun('d2', 'running'), stopRequested())
      .when({ kind: 'finish-stop', at })
      .yields());

  it('that fails sets the web service to failed', () =>
    given(...running, stopRequested())
      .when({ kind: 'fail-stop', reason: 'hangs', at })
      .yields(stopFailed('hangs')));
});

describe('a web service that does not respond', () => {
  const report = { kind: 'report-unanswering', releaseId: 'd1', reason: 'exit 1', at } as const;

  it('is failed until it responds again', () => {
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
