import { describe, expect, it } from '@jest/globals';
import { fold } from '@postern/event-sourcing';
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
  rollbackRequested,
  rolledBack,
  served,
  superseded,
} from '../../../testing/web-service-history.js';
import { outcomesIn } from './deployment-outcomes.js';
import type { WebServiceEvent } from './events.js';
import { webService } from './web-service.js';

const START = Date.parse('2026-03-01T10:00:00.000Z');

/** Sets the time of each event ten seconds after the previous one. */
const overTime = (events: readonly WebServiceEvent[]): WebServiceEvent[] =>
  events.map(({ type, data }, index) => {
    const at = new Date(START + index * 10_000).toISOString();
    return { type, data: { ...data, at } } as WebServiceEvent;
  });

/** Returns the outcomes of the last event. */
const outcomesAfter = (...events: readonly WebServiceEvent[]) => {
  const timed = overTime(events);
  return outcomesIn(fold(webService, timed.slice(0, -1)), timed.slice(-1));
};

describe('a deployment', () => {
  it('that goes live has the duration since its request', () => {
    const way = [created, requested('d1'), begun('d1'), built('d1'), releaseBegun('d1'), served('d1'), live('d1')];
    expect(outcomesAfter(...way)).toEqual({
      deployments: [{ outcome: 'live', stage: 'releasing', kind: 'deployment', seconds: 50 }],
      builds: [],
    });
  });

  it('that is built has a build outcome only', () => {
    expect(outcomesAfter(created, requested('d1'), requested('d2'), begun('d1'), built('d1'))).toEqual({
      deployments: [],
      builds: [{ result: 'built', seconds: 10 }],
    });
  });

  it.each([
    ['failed', failed('d1', 'exit code 1')],
    ['cancelled', cancelled('d1')],
  ] as const)('that is %s during its build has both outcomes', (outcome, event) => {
    expect(outcomesAfter(created, requested('d1'), begun('d1'), event)).toEqual({
      deployments: [{ outcome, stage: 'building', kind: 'deployment', seconds: 20 }],
      builds: [{ result: outcome, seconds: 10 }],
    });
  });

  it('that is superseded has that outcome only if it was never live', () => {
    const waiting = outcomesAfter(created, requested('d1'), requested('d2'), superseded('d1', 'd2'));
    expect(waiting.deployments).toEqual([{ outcome: 'superseded', stage: 'queued', kind: 'deployment', seconds: 20 }]);
    expect(outcomesAfter(created, ...deployed('d1'), requested('d2'), superseded('d1', 'd2')).deployments).toEqual([]);
  });

  it('that a rollback replaces is rolled back, and the rollback is live', () => {
    const history = [created, ...deployed('d1'), ...deployed('d2'), rollbackRequested('d3', 'd1')];
    const timed = overTime([...history, begun('d3', 'releasing'), releaseBegun('d3'), served('d3')]);
    const ending = overTime([live('d3'), rolledBack('d2', 'd3')]);
    expect(outcomesIn(fold(webService, timed), ending).deployments).toMatchObject([
      { outcome: 'live', stage: 'releasing', kind: 'rollback' },
      { outcome: 'rolled_back', stage: undefined, kind: 'deployment' },
    ]);
  });
});
