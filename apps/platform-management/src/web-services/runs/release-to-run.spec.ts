import { describe, expect, it } from '@jest/globals';
import { fold } from '@postern/event-sourcing';
import {
  changed,
  created,
  deployed,
  releaseBegun,
  restartRequested,
  served,
  stopped,
  stopRequested,
} from '../../testing/web-service-history.js';
import type { WebServiceEvent } from '../services/aggregate/events.js';
import { webService } from '../services/aggregate/web-service.js';
import { releaseToRun } from './runs.js';

const releaseAfter = (...history: readonly WebServiceEvent[]) => releaseToRun(fold(webService, history));
const artefact = { reference: 'artefact-d1', commit: 'commit-d1' };
const running = [
  created,
  ...deployed('d1'),
  restartRequested('r1'),
  releaseBegun('r1', 'restarting', { kind: 'restart', of: 'd1' }),
  served('r1'),
  changed({ instance: { memory_mib: 256, cpu_millicores: 500 } }),
];

describe('a command', () => {
  it('runs in the serving release with its configuration and size', () =>
    expect(releaseAfter(...running)).toEqual({ artefact, configurationId: 'r1' }));

  it('of a stopped web service runs as a start would, with the current configuration and size', () =>
    expect(releaseAfter(...running, stopRequested(), stopped())).toEqual({
      artefact,
      size: { memoryMib: 256, cpuMillicores: 500 },
    }));

  it('has no release before the first live deployment', () => expect(releaseAfter(created)).toBeUndefined());
});
