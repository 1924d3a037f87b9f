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
  deployed,
  failed,
  live,
  releaseBegun,
  releaseFailed,
  requested,
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
const abandon = (releaseId: string) => ({ kind: 'abandon-release', releaseId, at }) as const;

describe('a release', () => {
  const building = [requested('d2'), begun('d2'), built('d2')];
  const rolling = [...building, releaseBegun('d2', 'running')];

  it('starts if no other change is in progress', () => {
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

  it('that serves supersedes the live deployment', () =>
    given(...running, ...rolling)
      .when(finish('d2'))
      .yields(served('d2'), live('d2'), superseded('d1', 'd2')));

  it('of a start leaves the deployment live', () =>
    given(...running, startRequested('r1'), releaseBegun('r1', 'starting', { kind: 'start', of: 'd1' }))
      .when(finish('r1'))
      .yields(served('r1')));

  it('that fails without a previous release sets the web service to failed', () =>
    given(created, requested('d1'), begun('d1'), built('d1'), releaseBegun('d1'))
      .when(fail('d1'))
      .yields(releaseFailed('d1', 'no answer', 'failed', 'no answer'), failed('d1', 'no answer')));

  it('that fails while another release serves does not change the web service', () =>
    given(...running, ...rolling)
      .when(fail('d2'))
      .yields(releaseFailed('d2', 'no answer', 'running', null), failed('d2', 'no answer')));

  it('of a restart that fails records the reason, and the previous release keeps serving', () =>
    given(...running, restartRequested('r1'), releaseBegun('r1', 'restarting', { kind: 'restart', of: 'd1' }))
      .when(fail('r1'))
      .yields(releaseFailed('r1', 'no answer', 'running', 'no answer')));

  it('of a start that could not begin also fails', () =>
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

  it('ends at a cancellation, and restores the status of the web service', () => {
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
