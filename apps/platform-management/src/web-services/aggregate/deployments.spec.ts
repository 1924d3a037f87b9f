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
} from '../../testing/web-service-history.js';
import type { WebServiceEvent } from './events.js';
import { artefactsInUse, hasWork } from './state.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const deploy = (deploymentId: string, branch?: string) =>
  ({ kind: 'request-deployment', userId: 'ada', deploymentId, branch, at }) as const;
const rollBack = (deploymentId: string, rollbackOf: string, retained = 10) =>
  ({ kind: 'request-rollback', userId: 'ada', deploymentId, rollbackOf, retained, at }) as const;
const cancel = (deploymentId: string) => ({ kind: 'cancel-deployment', userId: 'ada', deploymentId, at }) as const;

describe('a deployment that is asked for', () => {
  it('takes the branch of its service unless it names one', () => {
    given(created).when(deploy('d1')).yields(requested('d1', 'main'));
    given(created).when(deploy('d1', 'next')).yields(requested('d1', 'next'));
  });

  it('supersedes those that are queued, and not the one under way', () =>
    given(created, requested('d1'), begun('d1'), requested('d2'))
      .when(deploy('d3'))
      .yields(superseded('d2', 'd3'), requested('d3')));

  it('is refused for a blocked and for a suspended service, with the reason', () => {
    given(created, blocked).when(deploy('d1')).refuses('service_blocked', 'phishing');
    given(created, suspended).when(deploy('d1')).refuses('service_suspended', 'bandwidth');
  });

  it('does not exist for anybody but the owner of its service', () => {
    given(created)
      .when({ ...deploy('d1'), userId: 'eve' })
      .refuses('web_service_not_found');
    given().when(deploy('d1')).refuses('web_service_not_found');
  });
});

describe('a deployment under way', () => {
  it('begins to build when no other is active', () =>
    given(created, requested('d1')).when({ kind: 'begin-deployment', deploymentId: 'd1', at }).yields(begun('d1')));

  it('never begins beside another one', () =>
    given(created, requested('d1'), begun('d1'), requested('d2'))
      .when({ kind: 'begin-deployment', deploymentId: 'd2', at })
      .yields());

  it('keeps the first commit that its branch was found at', () => {
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

  it('is cancelled when the build ended while it was being cancelled', () =>
    given(created, requested('d1'), begun('d1'), cancelling('d1', 'stop'))
      .when(finish)
      .yields(cancelled('d1', 'stop')));

  it('hears no report about a build that is over', () => {
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
  it('is done at once for one that is queued', () =>
    given(created, requested('d1')).when(cancel('d1')).yields(cancelled('d1')));

  it('is asked for once while it is built, and done when the driver says that nothing runs any more', () => {
    given(created, requested('d1'), begun('d1')).when(cancel('d1')).yields(cancelling('d1'));
    given(created, requested('d1'), begun('d1'), cancelling('d1')).when(cancel('d1')).yields();
    given(created, requested('d1'), begun('d1'), cancelling('d1'))
      .when({ kind: 'end-cancelled', deploymentId: 'd1', at })
      .yields(cancelled('d1'));
  });

  it('is not said by the driver when nobody asked', () =>
    given(created, requested('d1'), begun('d1')).when({ kind: 'end-cancelled', deploymentId: 'd1', at }).yields());

  it('is refused when it is over, and when it never was', () => {
    given(created, ...deployed('d1'))
      .when(cancel('d1'))
      .refuses('deployment_over', 'it is live');
    given(created).when(cancel('d1')).refuses('deployment_not_found');
  });
});

describe('a rollback', () => {
  const two = [created, ...deployed('d1'), ...deployed('d2', 'd1')];

  it('is a deployment of the earlier artefact, which begins with its release', () => {
    given(...two)
      .when(rollBack('d3', 'd1'))
      .yields(rollbackRequested('d3', 'd1'));
    given(...two, rollbackRequested('d3', 'd1'))
      .when({ kind: 'begin-deployment', deploymentId: 'd3', at })
      .yields(begun('d3', 'releasing'));
  });

  it('takes the earlier configuration, also by way of another rollback', () => {
    const third = [rollbackRequested('d3', 'd1'), begun('d3', 'releasing')];
    given(...two, ...third)
      .when({ kind: 'begin-release', releaseId: 'd3', at })
      .yields(releaseBegun('d3', 'running', { of: 'd1', configuration: 'd1' }));
    const back = [releaseBegun('d3', 'running', { of: 'd1', configuration: 'd1' }), served('d3'), live('d3')];
    given(
      ...two,
      ...third,
      ...back,
      rolledBack('d2', 'd3'),
      ...deployed('d4', 'd3'),
      {
        ...rollbackRequested('d5', 'd3'),
      },
      begun('d5', 'releasing'),
    )
      .when({ kind: 'begin-release', releaseId: 'd5', at })
      .yields(releaseBegun('d5', 'running', { of: 'd3', configuration: 'd1' }));
  });

  it('makes what was live rolled back', () =>
    given(...two, rollbackRequested('d3', 'd1'), begun('d3', 'releasing'), releaseBegun('d3', 'running'))
      .when({ kind: 'finish-release', releaseId: 'd3', at })
      .yields(served('d3'), live('d3'), rolledBack('d2', 'd3')));

  it('waits in the queue, and supersedes what waits there', () =>
    given(...two, requested('d3'), begun('d3'), requested('d4'))
      .when(rollBack('d5', 'd1'))
      .yields(superseded('d4', 'd5'), rollbackRequested('d5', 'd1')));

  it('is refused to what never was live, to what is unknown, and to what is kept no more', () => {
    given(...two, requested('d3'))
      .when(rollBack('d4', 'd3'))
      .refuses('deployment_never_live', 'it is queued');
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

describe('what is kept of a service', () => {
  const three = [created, ...deployed('d1'), ...deployed('d2', 'd1'), ...deployed('d3', 'd2')];
  const artefacts = (events: readonly WebServiceEvent[], retained: number) => [
    ...artefactsInUse(fold(webService, events), retained),
  ];

  it('are the artefacts of the last deployments that were live', () => {
    expect(artefacts(three, 2)).toEqual(['artefact-d2', 'artefact-d3']);
    expect(artefacts(three, 10)).toEqual(['artefact-d1', 'artefact-d2', 'artefact-d3']);
  });

  it('is the artefact of whatever is on its way, rollbacks included', () => {
    expect(artefacts([...three, requested('d4'), begun('d4'), built('d4')], 1)).toEqual(['artefact-d3', 'artefact-d4']);
    expect(artefacts([...three, rollbackRequested('d4', 'd1')], 1)).toEqual(['artefact-d3', 'artefact-d1']);
  });

  it('is not what failed', () =>
    expect(artefacts([...three, requested('d4'), begun('d4'), built('d4'), failed('d4', 'x')], 1)).toEqual([
      'artefact-d3',
    ]));

  it('is work for the driver until everything is final', () => {
    expect(hasWork(fold(webService, three))).toBe(false);
    expect(hasWork(fold(webService, [...three, requested('d4')]))).toBe(true);
  });
});
