import { describe, expect, it } from '@jest/globals';
import { fold } from '@postern/event-sourcing';
import {
  at,
  begun,
  built,
  cancelling,
  created,
  deleted,
  deletionRequested,
  deployed,
  failed,
  releaseBegun,
  requested,
  restartIfServingRequested,
  rollbackRequested,
  startRequested,
  stopRequested,
} from '../../testing/web-service-history.js';
import type { WebServiceEvent } from '../services/aggregate/events.js';
import { webService } from '../services/aggregate/web-service.js';
import { duration, nextSteps, type StageDeadlines, type UnderWay } from './next-steps.js';

const deadlines: StageDeadlines = {
  queueMs: 100_000,
  buildMs: 10_000,
  releaseMs: 5_000,
  stopMs: 1_000,
  preemptMs: 2_000,
  graceMs: 100,
};
const start = Date.parse(at);
const running = [created, ...deployed('d1')];
const building = [created, requested('d1'), begun('d1')];
const rolling = [...building, built('d1'), releaseBegun('d1')];

const steps = (events: readonly WebServiceEvent[], underWay: UnderWay = {}, ms = 1) =>
  nextSteps(fold(webService, events), underWay, start + ms, deadlines);
const report = (kind: string, more: object = {}) => ({ kind: 'report', report: { kind, ...more } });

describe('the next step', () => {
  it('is none for a web service in a final state', () => {
    expect(steps([created])).toEqual([]);
    expect(steps(running)).toEqual([]);
  });

  it('starts a queued deployment, a rollback without a build, and nothing during another deployment', () => {
    expect(steps([created, requested('d1')])).toEqual([{ kind: 'begin-build', deploymentId: 'd1' }]);
    expect(steps([...running, rollbackRequested('d2', 'd1')])).toEqual([
      report('begin-deployment', { deploymentId: 'd2' }),
    ]);
    expect(steps([...building, requested('d2')], { build: { deploymentId: 'd1' } })).toEqual([]);
  });

  it('is the build, also one that another leader started', () =>
    expect(steps(building)).toEqual([{ kind: 'build', deploymentId: 'd1', untilMs: start + 10_000 }]));

  it('ends a build that is cancelled or late, and reports it once it has ended', () => {
    const underWay = { build: { deploymentId: 'd1' } };
    expect(steps([...building, cancelling('d1')], underWay)).toEqual([{ kind: 'end-build', reason: 'cancelled' }]);
    expect(steps([...building, cancelling('d1')])).toEqual([report('end-cancelled', { deploymentId: 'd1' })]);
    expect(steps(building, underWay, 10_050)).toEqual([]);
    expect(steps(building, underWay, 10_100)).toEqual([{ kind: 'end-build', reason: 'late' }]);
    expect(steps(building, {}, 10_000)).toEqual([
      report('fail-deployment', { deploymentId: 'd1', reason: 'the build did not finish within 10 seconds' }),
    ]);
  });

  it('fails a build that does not end', () => {
    const aborted = { build: { deploymentId: 'd1', aborted: start } };
    expect(steps([...building, cancelling('d1')], aborted, 999)).toEqual([]);
    expect(steps([...building, cancelling('d1')], aborted, 1_000)).toEqual([
      report('fail-deployment', { deploymentId: 'd1', reason: 'the platform could not end the build in time' }),
    ]);
  });

  it('starts a restart that depends on a deployment after it, and also without one, so that the restart is dropped', () => {
    const release = [created, requested('d1'), begun('d1'), built('d1')];
    const restart = restartIfServingRequested('r1', 'created');
    expect(steps([...release, restart])).toEqual([{ kind: 'begin-release', releaseId: 'd1' }]);
    expect(steps([...release, restart, failed('d1', 'no answer')])).toEqual([
      { kind: 'begin-release', releaseId: 'r1' },
    ]);
  });

  it('starts only the release that was requested first', () => {
    const late = { ...startRequested('r1') };
    const [later] = [{ ...late, data: { ...late.data, at: '2026-03-01T10:00:00.500Z' } } as WebServiceEvent];
    expect(steps([...running, requested('d2'), begun('d2'), built('d2'), later], {}, 600)).toEqual([
      { kind: 'begin-release', releaseId: 'd2' },
    ]);
    expect(steps([...running, startRequested('r1')])).toEqual([{ kind: 'begin-release', releaseId: 'r1' }]);
  });

  it('starts no release during a roll or a stop', () => {
    const change = { kind: 'stop', since: start } as const;
    expect(steps([...running, startRequested('r1')], { change })).toEqual([]);
  });

  it('rolls, and ends the roll for a stop, a cancellation or its deadline', () => {
    const change = { kind: 'roll', releaseId: 'd1', since: start } as const;
    expect(steps(rolling)).toEqual([{ kind: 'roll', releaseId: 'd1', untilMs: start + 5_000 }]);
    expect(steps(rolling, { change })).toEqual([]);
    expect(steps([...rolling, stopRequested()], { change })).toEqual([{ kind: 'end-roll', reason: 'cancelled' }]);
    expect(steps([...rolling, cancelling('d1')], { change })).toEqual([{ kind: 'end-roll', reason: 'cancelled' }]);
    expect(steps(rolling, { change }, 5_100)).toEqual([{ kind: 'end-roll', reason: 'late' }]);
    expect(steps([...rolling, stopRequested()])).toEqual([report('abandon-release', { releaseId: 'd1' })]);
    expect(steps(rolling, {}, 5_000)).toEqual([
      report('fail-release', { releaseId: 'd1', reason: 'no instance responded within 5 seconds' }),
    ]);
  });

  it('ends a release immediately for a rollback, and after the preemption time for a newer deployment', () => {
    const change = { kind: 'roll', releaseId: 'd2', since: start } as const;
    const second = [...running, requested('d2'), begun('d2'), built('d2'), releaseBegun('d2', 'running')];
    const ends = [{ kind: 'end-roll', reason: 'cancelled' }];
    expect(steps([...second, rollbackRequested('d3', 'd1')], { change })).toEqual(ends);
    expect(steps([...second, requested('d3')], { change }, 1_999)).toEqual([]);
    expect(steps([...second, requested('d3')], { change }, 2_000)).toEqual(ends);
    expect(steps([...second, rollbackRequested('d3', 'd1')])).toEqual([report('abandon-release', { releaseId: 'd2' })]);
  });

  it('ends a hanging start for a waiting rollback', () => {
    const change = { kind: 'roll', releaseId: 'r1', since: start } as const;
    const starting = [...running, startRequested('r1'), releaseBegun('r1', 'starting', { kind: 'start', of: 'd1' })];
    const waiting = [...starting, rollbackRequested('d2', 'd1'), begun('d2', 'releasing')];
    expect(steps(waiting, { change })).toEqual([{ kind: 'end-roll', reason: 'cancelled' }]);
  });

  it('removes a deleted web service once no work is in progress, without a deadline', () => {
    const deleting = [...running, deletionRequested];
    expect(steps(deleting, {}, 1_000_000)).toEqual([{ kind: 'remove' }]);
    expect(steps(deleting, { change: { kind: 'remove', since: start } }, 1_000_000)).toEqual([]);
    expect(steps(deleting, { change: { kind: 'stop', since: start } })).toEqual([]);
    expect(
      steps([...building, cancelling('d1', 'stop'), deletionRequested], { build: { deploymentId: 'd1' } }),
    ).toEqual([{ kind: 'end-build', reason: 'cancelled' }]);
    const change = { kind: 'roll', releaseId: 'd1', since: start } as const;
    expect(steps([...rolling, deletionRequested], { change })).toEqual([{ kind: 'end-roll', reason: 'cancelled' }]);
    expect(steps([...deleting, deleted])).toEqual([]);
  });

  it('fails a roll that does not end', () => {
    const change = { kind: 'roll', releaseId: 'd1', since: start, aborted: start } as const;
    expect(steps([...rolling, stopRequested()], { change }, 1_000)).toEqual([
      report('fail-release', { releaseId: 'd1', reason: 'the platform could not end the release in time' }),
    ]);
  });

  it('stops, also long after the request, and fails a stop past its deadline', () => {
    const change = { kind: 'stop', since: start } as const;
    expect(steps([...running, stopRequested()], {}, 1_000_000)).toEqual([{ kind: 'stop' }]);
    expect(steps([...running, stopRequested()], { change }, 1_000)).toEqual([]);
    expect(steps([...running, stopRequested()], { change }, 1_100)).toEqual([
      report('fail-stop', { reason: 'it could not be stopped within 1 second' }),
    ]);
  });

  it('limits every waiting time', () => {
    expect(steps([created, requested('d1')], {}, 100_000)).toEqual([
      report('fail-deployment', { deploymentId: 'd1', reason: 'it waited in the queue for more than 100 seconds' }),
    ]);
    const hung = { change: { kind: 'stop', since: start } } as const;
    const reason = 'the release could not begin within 16 seconds';
    expect(steps([...running, startRequested('r1')], hung, 16_000)).toEqual([
      report('fail-release', { releaseId: 'r1', reason }),
    ]);
    expect(steps([...building, built('d1')], hung, 16_000)).toEqual([
      report('fail-deployment', { deploymentId: 'd1', reason }),
    ]);
  });
});

describe('a duration', () => {
  it.each([
    [50, '1 second'],
    [90_000, '90 seconds'],
    [900_000, '15 minutes'],
    [21_600_000, '6 hours'],
  ])('of %i ms is formatted as %s', (ms, message) => expect(duration(ms)).toBe(message));
});
