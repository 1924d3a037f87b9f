import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import type { Instance } from '../instances/instance.js';
import type { ProbeAnswer } from '../probe.js';
import { Replica, type ReplicaOwner } from './replica.js';
import { TIMES } from './runtime-times.js';

const SILENCE_MS = 50;

/** A replica of an instance whose probes return these results; the last one repeats. */
const replicaWith = (...probes: readonly (() => Promise<ProbeAnswer>)[]) => {
  let probed = 0;
  const failures: string[] = [];
  const instance = {
    record: { name: 'web-1' },
    lastErrors: [],
    exited: new Promise<string>(() => {}),
    probe: () => probes[Math.min(probed++, probes.length - 1)]!(),
    end: async () => {},
  } as unknown as Instance;
  const owner: ReplicaOwner = {
    times: { ...TIMES, probesMs: 1, unhealthyUntilRestartMs: SILENCE_MS },
    start: () => new Promise(() => {}),
    firstAnswerMs: () => SILENCE_MS,
    restarts: () => true,
    canStart: () => true,
    onChange: () => {},
    onFailure: message => failures.push(message),
  };
  const replica = new Replica(owner, { instance, answered: true });
  return { replica, failures, probed: () => probed };
};

const answers = async () => undefined;
const silent = async () => 'no connection';

it('an instance is not replaced after one failed probe, even if this process was suspended meanwhile', async () => {
  const pauseProcess = async () => {
    await pause(2 * SILENCE_MS);
    return 'GET / did not answer';
  };
  const { replica, failures, probed } = replicaWith(answers, pauseProcess, answers);
  await waitFor(() => probed() > 5);
  expect(failures).toEqual([]);
  expect(replica.healthy).toBe(true);
});

it('an instance is replaced when its probes fail for longer than allowed', async () => {
  const { failures } = replicaWith(answers, silent);
  await waitFor(() => failures.length === 1);
  expect(failures).toEqual(['web-1 stopped responding: no connection']);
});
