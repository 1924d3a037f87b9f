import { describe, expect, it } from '@jest/globals';
import { fold } from '@postern/event-sourcing';
import { specificationOf } from '@postern/event-sourcing/testing';
import {
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
  requested,
  resolved,
  rollbackRequested,
  rolledBack,
  served,
  superseded,
  suspended,
} from '../../../testing/web-service-history.js';
import type { WebServiceEvent } from './events.js';
import { artefactsInUse, hasWork } from './state.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const deploy = (deploymentId: string, branch?: string) =>
  ({ kind: 'request-deployment', userId: 'ada', deploymentId, branch, at }) as const;
const rollBack = (deploymentId: string, rollbackOf: string, retained = 10) =>
  ({ kind: 'request-rollback', userId: 'ada', deploymentId, rollbackOf, retained, at }) as const;
const cancel = (deploymentId: string) => ({ kind: 'cancel-deployment', userId: 'ada', deploymentId, at }) as const;

describe('a requested deployment', () => {
  it('uses the branch of its web service by default', () => {
    given(created).when(deploy('d1')).yields(requested('d1', 'main'));
    given(created).when(deploy('d1', 'next')).yields(requested('d1', 'next'));
  });

  it('supersedes queued deployments but not the active one', () =>
    given(created, requested('d1'), begun('d1'), requested('d2'))
      .when(deploy('d3'))
      .yields(superseded('d2', 'd3'), requested('d3')));

  it('is refused for a blocked or suspended service, with the reason', () => {
    given(created, blocked).when(deploy('d1')).refuses('service_blocked', 'phishing');
    given(created, suspended).when(deploy('d1')).refuses('service_suspended', 'bandwidth');
  });

  it('exists only for the owner of its web service', () => {
    given(created)
      .when({ ...deploy('d1'), userId: 'eve' })
      .refuses('web_service_not_found');
    given().when(deploy('d1')).refuses('web_service_not_found');
  });
});

describe('an active deployment', () => {
  it('starts its build if no other deployment is active', () =>
    given(created, requested('d1')).when({ kind: 'begin-deployment', deploymentId: 'd1', at }).yields(begun('d1')));

  it('does not start while another one is active', () =>
    given(created, requested('d1'), begun('d1'), requested('d2'))
      .when({ kind: 'begin-deployment', deploymentId: 'd2', at })
      .yields());

  it('keeps the first resolved commit', () => {
    const command = { kind: 'resolve-source', deploymentId: 'd1', branch: 'main', commit: 'commit-d1', at } as const;
    given(created, requested('d1'), begun('d1')).when(command).yields(resolved('d1'));
    given(created, requested('d1'), begun('d1'), resolved('d1')).when(command).yields();
  });

  const finish = {
    kind: 'finish-build',
    deploymentId: 'd1',
    artefact: 'artefact-d1',
    commit: 'commit-d1',
    at,
  } as const;
  it('is releasing once it is built', () =>
    given(created, requested('d1'), begun('d1')).when(finish).yields(built('d1')));

  it('is cancelled if its build ends during the cancellation', () =>
    given(created, requested('d1'), begun('d1'), cancelling('d1', 'stop'))
      .when(finish)
      .yields(cancelled('d1', 'stop')));

  it('ignores reports about a finished build', () => {
    given(created, requested('d1'), begun('d1'), built('d1')).when(finish).yields();
    given(created, ...deployed('d1'))
      .when({ kind: 'fail-deployment', deploymentId: 'd1', reason: 'x', at })
      .yields();
    given(created, ...deployed('d1'))
      .when({ kind: 'end-cancelled', deploymentId: 'd1', at })
      .yields();
  });

  it('fails with a reason', () =>
    given(created, requested('d1'), begun('d1'))
      .when({ kind: 'fail-deployment', deploymentId: 'd1', reason: 'no space', at })
      .yields(failed('d1', 'no space')));
});

describe('cancelling a deployment', () => {
  it('takes effect immediately for a queued deployment', () =>
    given(created, requested('d1')).when(cancel('d1')).yields(cancelled('d1')));

  it('is requested once during a build and takes effect when the reconciler reports its end', () => {
    given(created, requested('d1'), begun('d1')).when(cancel('d1')).yields(cancelling('d1'));
    given(created, requested('d1'), begun('d1'), cancelling('d1')).when(cancel('d1')).yields();
    given(created, requested('d1'), begun('d1'), cancelling('d1'))
      .when({ kind: 'end-cancelled', deploymentId: 'd1', at })
      .yields(cancelled('d1'));
  });

  it('cannot be reported without a request', () =>
    given(created, requested('d1'), begun('d1')).when({ kind: 'end-cancelled', deploymentId: 'd1', at }).yields());

  it('is refused for an ended and for an unknown deployment', () => {
    given(created, ...deployed('d1'))
      .when(cancel('d1'))
      .refuses('deployment_over', '(live)');
    given(created).when(cancel('d1')).refuses('deployment_not_found');
  });
});

describe('a rollback', () => {
  const two = [created, ...deployed('d1'), ...deployed('d2', 'd1')];

  it('is a deployment of the earlier artefact that starts with its release', () => {
    given(...two)
      .when(rollBack('d3', 'd1'))
      .yields(rollbackRequested('d3', 'd1'));
    given(...two, rollbackRequested('d3', 'd1'))
      .when({ kind: 'begin-deployment', deploymentId: 'd3', at })
      .yields(begun('d3', 'releasing'));
  });

  it('releases the earlier artefact with a configuration of its own, also through another rollback', () => {
    const third = [rollbackRequested('d3', 'd1'), begun('d3', 'releasing')];
    given(...two, ...third)
      .when({ kind: 'begin-release', releaseId: 'd3', at })
      .yields(releaseBegun('d3', 'running', { of: 'd1', configuration: 'd3' }));
    const back = [releaseBegun('d3', 'running', { of: 'd1', configuration: 'd1' }), served('d3'), live('d3')];
    given(
      ...two,
      ...third,
      ...back,
      rolledBack('d2', 'd3'),
      ...deployed('d4', 'd3'),
      rollbackRequested('d5', 'd3'),
      begun('d5', 'releasing'),
    )
      .when({ kind: 'begin-release', releaseId: 'd5', at })
      .yields(releaseBegun('d5', 'running', { of: 'd3', configuration: 'd5' }));
  });

  it('sets the previously live deployment to rolled back', () =>
    given(...two, rollbackRequested('d3', 'd1'), begun('d3', 'releasing'), releaseBegun('d3', 'running'))
      .when({ kind: 'finish-release', releaseId: 'd3', at })
      .yields(served('d3'), live('d3'), rolledBack('d2', 'd3')));

  it('waits in the queue and supersedes queued deployments', () =>
    given(...two, requested('d3'), begun('d3'), requested('d4'))
      .when(rollBack('d5', 'd1'))
      .yields(superseded('d4', 'd5'), rollbackRequested('d5', 'd1')));

  it('is refused for deployments that were never live, are unknown, or are too old', () => {
    given(...two, requested('d3'))
      .when(rollBack('d4', 'd3'))
      .refuses('deployment_never_live', 'this one is queued');
    given(...two)
      .when(rollBack('d4', 'd9'))
      .refuses('deployment_not_found');
    given(...two, ...deployed('d3', 'd2'))
      .when(rollBack('d4', 'd1', 2))
      .refuses('deployment_too_old', 'too old');
  });

  it('is refused for a blocked service', () =>
    given(...two, blocked)
      .when(rollBack('d3', 'd1'))
      .refuses('service_blocked'));
});

describe('a web service with several deployments', () => {
  const three = [created, ...deployed('d1'), ...deployed('d2', 'd1'), ...deployed('d3', 'd2')];
  const artefacts = (events: readonly WebServiceEvent[], retained: number) => [
    ...artefactsInUse(fold(webService, events), retained),
  ];

  it('retains the artefacts of the last live deployments', () => {
    expect(artefacts(three, 2)).toEqual(['artefact-d2', 'artefact-d3']);
    expect(artefacts(three, 10)).toEqual(['artefact-d1', 'artefact-d2', 'artefact-d3']);
  });

  it('retains artefacts of deployments in progress, and of rollbacks', () => {
    expect(artefacts([...three, requested('d4'), begun('d4'), built('d4')], 1)).toEqual(['artefact-d3', 'artefact-d4']);
    expect(artefacts([...three, rollbackRequested('d4', 'd1')], 1)).toEqual(['artefact-d3', 'artefact-d1']);
  });

  it('does not retain artefacts of failed deployments', () =>
    expect(artefacts([...three, requested('d4'), begun('d4'), built('d4'), failed('d4', 'x')], 1)).toEqual([
      'artefact-d3',
    ]));

  it('has work for the reconciler until all states are final', () => {
    expect(hasWork(fold(webService, three))).toBe(false);
    expect(hasWork(fold(webService, [...three, requested('d4')]))).toBe(true);
  });
});
