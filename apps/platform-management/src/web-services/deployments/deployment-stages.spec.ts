import { describe, expect, it } from '@jest/globals';
import { type StageTimes, stagesOf } from './deployment-stages.js';

const at = (second: number) => new Date(Date.UTC(2030, 0, 2, 3, 4, second));
const text = (second: number) => at(second).toISOString();

const QUEUED: StageTimes = {
  created_at: at(0),
  started_at: null,
  resolved_at: null,
  built_at: null,
  finished_at: null,
  rollback_of: null,
  upload_digest: null,
};

describe('The stages of a deployment', () => {
  it('begin with the queue, which is in progress until the work begins', () =>
    expect(stagesOf(QUEUED)).toEqual([{ name: 'queue', started_at: text(0), finished_at: null }]));

  it('each end where the next one begins', () =>
    expect(
      stagesOf({ ...QUEUED, started_at: at(1), resolved_at: at(2), built_at: at(10), finished_at: at(15) }),
    ).toEqual([
      { name: 'queue', started_at: text(0), finished_at: text(1) },
      { name: 'source', started_at: text(1), finished_at: text(2) },
      { name: 'build', started_at: text(2), finished_at: text(10) },
      { name: 'release', started_at: text(10), finished_at: text(15) },
    ]));

  it('end with the one that failed', () =>
    expect(stagesOf({ ...QUEUED, started_at: at(1), finished_at: at(3) }).at(-1)).toEqual({
      name: 'source',
      started_at: text(1),
      finished_at: text(3),
    }));

  it('of an upload have no source', () =>
    expect(stagesOf({ ...QUEUED, started_at: at(1), built_at: at(3), upload_digest: 'd' })).toEqual([
      { name: 'queue', started_at: text(0), finished_at: text(1) },
      { name: 'build', started_at: text(1), finished_at: text(3) },
      { name: 'release', started_at: text(3), finished_at: null },
    ]));

  it('of a rollback have no source and no build', () =>
    expect(stagesOf({ ...QUEUED, started_at: at(1), rollback_of: 'earlier' })).toEqual([
      { name: 'queue', started_at: text(0), finished_at: text(1) },
      { name: 'release', started_at: text(1), finished_at: null },
    ]));

  it('of an upload have no source', () =>
    expect(stagesOf({ ...QUEUED, started_at: at(1), upload_digest: 'abc' }).map(({ name }) => name)).toEqual([
      'queue',
      'build',
    ]));

  it('of a deployment that was superseded in the queue are the queue', () =>
    expect(stagesOf({ ...QUEUED, finished_at: at(4) })).toEqual([
      { name: 'queue', started_at: text(0), finished_at: text(4) },
    ]));
});
