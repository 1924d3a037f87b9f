import { describe, expect, it } from '@jest/globals';
import type { Deployment, DeploymentStage } from '@postern/contracts';
import { shownStages } from './deployment-stages.js';

const at = (second: number) => `2030-01-02T03:04:0${second}.000Z`;
const stage = (name: DeploymentStage['name'], from: number, to: number | null): DeploymentStage => ({
  name,
  started_at: at(from),
  finished_at: to === null ? null : at(to),
});
const deployment = (status: Deployment['status'], stages: DeploymentStage[], rollback: string | null = null) =>
  ({ status, stages, rollback_of: rollback }) as Deployment;
const states = (of: Deployment) => shownStages(of).map(({ title, state }) => `${title} ${state}`);

describe('The stages of a deployment', () => {
  it('that is built show what is still to come', () =>
    expect(
      states(deployment('building', [stage('queue', 0, 1), stage('source', 1, 2), stage('build', 2, null)])),
    ).toEqual(['Queue done', 'Commit done', 'Build active', 'Release pending']));

  it('that failed end with the stage that failed', () =>
    expect(states(deployment('failed', [stage('queue', 0, 1), stage('source', 1, 2), stage('build', 2, 3)]))).toEqual([
      'Queue done',
      'Commit done',
      'Build failed',
    ]));

  it('of a rollback skip the build', () =>
    expect(states(deployment('queued', [stage('queue', 0, null)], 'earlier'))).toEqual([
      'Queue active',
      'Release pending',
    ]));

  it('that is live or was replaced are all done', () => {
    const all = [stage('queue', 0, 1), stage('source', 1, 2), stage('build', 2, 3), stage('release', 3, 4)];
    for (const status of ['live', 'superseded', 'rolled_back'] as const)
      expect(states(deployment(status, all)).every(text => text.endsWith('done'))).toBe(true);
  });

  it('that was cancelled say where', () =>
    expect(states(deployment('cancelled', [stage('queue', 0, 2)]))).toEqual(['Queue cancelled']));

  it('of a release before stages are empty', () =>
    expect(shownStages({ status: 'live', rollback_of: null } as Deployment)).toEqual([]));
});
