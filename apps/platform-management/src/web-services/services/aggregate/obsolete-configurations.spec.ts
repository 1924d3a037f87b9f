import { describe, expect, it } from '@jest/globals';
import {
  begun,
  built,
  cancelled,
  created,
  deployed,
  failed,
  live,
  releaseBegun,
  requested,
  restartRequested,
  rollbackRequested,
  rolledBack,
  served,
  startRequested,
  stopped,
  stopRequested,
} from '../../../testing/web-service-history.js';
import type { WebServiceEvent } from './events.js';
import { obsoleteConfigurations } from './obsolete-configurations.js';

const over = (history: readonly WebServiceEvent[], retained = 10) =>
  obsoleteConfigurations([created, ...history], retained);
const restarted = (id: string, of: string): WebServiceEvent[] => [
  restartRequested(id),
  releaseBegun(id, 'restarting', { kind: 'restart', of }),
  served(id),
];

describe('the configuration of a start or restart', () => {
  it('is obsolete once another release serves', () => {
    expect(over([...deployed('d1'), ...restarted('r1', 'd1')])).toEqual([]);
    expect(over([...deployed('d1'), ...restarted('r1', 'd1'), ...restarted('r2', 'd1')])).toEqual(['r1']);
    expect(over([...deployed('d1'), ...restarted('r1', 'd1'), ...deployed('d2', 'd1')])).toEqual(['r1']);
  });

  it('is in use while its release waits, or while the next release may fail', () => {
    const serving = [...deployed('d1'), ...restarted('r1', 'd1')];
    expect(over([...serving, restartRequested('r2')])).toEqual([]);
    expect(
      over([...serving, restartRequested('r2'), releaseBegun('r2', 'restarting', { kind: 'restart', of: 'd1' })]),
    ).toEqual([]);
  });

  it('is obsolete after a stop, and if the release never started', () => {
    const serving = [...deployed('d1'), ...restarted('r1', 'd1')];
    expect(over([...serving, stopRequested()])).toEqual([]);
    expect(over([...serving, stopRequested(), stopped()])).toEqual(['r1']);
    expect(over([...deployed('d1'), startRequested('s1'), stopRequested('block')])).toEqual(['s1']);
  });
});

describe('the configuration of a deployment', () => {
  it('is kept while the deployment can be rolled back to', () => {
    const three = [...deployed('d1'), ...deployed('d2', 'd1'), ...deployed('d3', 'd2')];
    expect(over(three, 3)).toEqual([]);
    expect(over(three, 2)).toEqual(['d1']);
  });

  it('is kept for a rollback in progress, whatever its age', () => {
    const two = [...deployed('d1'), ...deployed('d2', 'd1')];
    expect(over([...deployed('d1'), rollbackRequested('d2', 'd1'), ...deployed('d3', 'd1')], 1)).toEqual([]);
    const rolling = [rollbackRequested('d3', 'd1'), begun('d3', 'releasing'), releaseBegun('d3', 'running')];
    expect(over([...two, ...rolling], 1)).toEqual([]);
    expect(over([...two, ...rolling, served('d3'), live('d3'), rolledBack('d2', 'd3')], 1)).toEqual(['d1', 'd2']);
  });

  it('is obsolete if the deployment was never live', () => {
    const serving = deployed('d1');
    const way = [requested('d2'), begun('d2'), built('d2')];
    expect(over([...serving, ...way])).toEqual([]);
    expect(over([...serving, ...way, cancelled('d2')])).toEqual(['d2']);
    expect(over([...serving, requested('d2'), begun('d2'), failed('d2', 'exit 1')])).toEqual(['d2']);
  });
});
