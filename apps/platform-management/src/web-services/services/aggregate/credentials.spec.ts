import { describe, it } from '@jest/globals';
import { specificationOf } from '@postern/event-sourcing/testing';
import { begin, fail, finish } from '../../../testing/release-commands.js';
import {
  abandoned,
  at,
  begun,
  built,
  cancelled,
  cancelling,
  created,
  deleted,
  deletionRequested,
  deployed,
  failed,
  live,
  releaseBegun,
  releaseFailed,
  requested,
  restartIfServingRequested,
  restartRequested,
  served,
  startRequested,
  stopped,
  stopRequested,
  superseded,
} from '../../../testing/web-service-history.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const running = [created, ...deployed('d1')];
const stoppedService = [...running, stopRequested(), stopped()];
const built1 = [created, requested('d1'), begun('d1'), built('d1')];
const built2 = [requested('d2'), begun('d2'), built('d2')];
const rolling1 = [...built1, releaseBegun('d1')];
const renew = { kind: 'renew-credentials', releaseId: 'r9', at } as const;

describe('new credentials of a database', () => {
  it('restart a running web service, also while a deployment is being released', () => {
    given(...running)
      .when(renew)
      .yields(restartRequested('r9'));
    given(...running, ...built2, releaseBegun('d2', 'running'))
      .when(renew)
      .yields(restartRequested('r9'));
  });

  it('do not change a web service that does not run', () => {
    for (const history of [
      [created],
      [created, requested('d1'), begun('d1')],
      stoppedService,
      [...running, stopRequested()],
      [...running, stopRequested(), startRequested('r1')],
      [...running, deletionRequested],
      [...running, deletionRequested, deleted],
    ])
      given(...history)
        .when(renew)
        .yields();
  });

  it('replace a request whose configuration may already be stored', () => {
    given(...running, restartRequested('r1'))
      .when(renew)
      .yields(restartRequested('r9'));
    given(...stoppedService, startRequested('r1'))
      .when(renew)
      .yields(restartRequested('r9'));
    given(...running, restartRequested('r1'), restartRequested('r9'))
      .when(begin('r1'))
      .yields();
  });

  it('restart a web service after its start, whether the start succeeds or fails', () => {
    const starting = [
      ...stoppedService,
      startRequested('r1'),
      releaseBegun('r1', 'starting', { kind: 'start', of: 'd1' }),
    ];
    given(...starting)
      .when(renew)
      .yields(restartRequested('r9'));
    given(...starting, restartRequested('r9'))
      .when(finish('r1'))
      .yields(served('r1', 'restarting'));
    given(...starting, restartRequested('r9'))
      .when(fail('r1'))
      .yields(releaseFailed('r1', 'no answer', 'restarting', null));
    given(...starting, restartRequested('r9'), releaseFailed('r1', 'no answer', 'restarting', null))
      .when(begin('r9'))
      .yields(releaseBegun('r9', 'restarting', { kind: 'restart', of: 'd1' }));
  });
});

describe('new credentials during the first release', () => {
  const renewed = [...rolling1, restartIfServingRequested('r9', 'starting')];

  it('restart the web service once the release serves', () => {
    given(...rolling1)
      .when(renew)
      .yields(restartIfServingRequested('r9', 'starting'));
    given(...renewed)
      .when(finish('d1'))
      .yields(served('d1', 'restarting'), live('d1'));
    given(...renewed, served('d1', 'restarting'), live('d1'))
      .when(begin('r9'))
      .yields(releaseBegun('r9', 'restarting', { kind: 'restart', of: 'd1' }));
    given(...renewed, served('d1', 'restarting'), live('d1'))
      .when(renew)
      .yields(restartRequested('r9'));
  });

  it('also while the release is about to begin', () => {
    given(...built1)
      .when(renew)
      .yields(restartIfServingRequested('r9', 'created'));
    given(...built1, restartIfServingRequested('r9', 'created'))
      .when(begin('r9'))
      .yields();
    given(...built1, restartIfServingRequested('r9', 'created'))
      .when(begin('d1'))
      .yields(releaseBegun('d1', 'starting'));
  });

  it('do not start a web service whose release fails', () => {
    const end = [releaseFailed('d1', 'no answer', 'failed', 'no answer'), failed('d1', 'no answer')];
    given(...renewed)
      .when(fail('d1'))
      .yields(...end);
    given(...renewed, ...end)
      .when(begin('r9'))
      .yields({
        type: 'platform-management.release-abandoned.v1',
        data: { web_service_id: 'shop', release_id: 'r9', status: 'failed', status_reason: 'no answer', at },
      });
  });

  it('do not start a web service whose release is cancelled', () => {
    given(...renewed, cancelling('d1'))
      .when({ kind: 'abandon-release', releaseId: 'd1', at })
      .yields(abandoned('d1', 'created'), cancelled('d1'));
    given(...renewed, cancelling('d1'), abandoned('d1', 'created'), cancelled('d1'))
      .when(begin('r9'))
      .yields(abandoned('r9', 'created'));
  });
});

describe('new credentials while a deployment starts a stopped web service', () => {
  const renewed = [
    ...stoppedService,
    ...built2,
    releaseBegun('d2', 'starting'),
    restartIfServingRequested('r9', 'starting'),
  ];

  it('restart it once the deployment is live', () =>
    given(...renewed)
      .when(finish('d2'))
      .yields(served('d2', 'restarting'), live('d2'), superseded('d1', 'd2')));

  it('do not start the earlier deployment if this one fails, unless a user requests it', () => {
    const end = [releaseFailed('d2', 'no answer', 'failed', 'no answer'), failed('d2', 'no answer')];
    given(...renewed)
      .when(fail('d2'))
      .yields(...end);
    given(...renewed)
      .when({ kind: 'restart', userId: 'ada', releaseId: 'r10', at })
      .yields(restartRequested('r10'));
  });
});
