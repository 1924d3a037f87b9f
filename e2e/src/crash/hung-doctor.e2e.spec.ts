import { expect, it } from '@jest/globals';
import { childProcesses } from '@postern/testing';
import { ownWorld } from '../stories.js';
import { doctorSeconds } from './doctor-time.js';

const { postern } = await ownWorld();

const withChildren = async (pid: number): Promise<readonly number[]> => [pid, ...(await childProcesses(pid))];

const resume = (pid: number): void => {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    // The local start replaces a NATS that hangs.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

it.each<[what: string, finding: RegExp, pids: () => Promise<readonly number[]>]>([
  ['PostgreSQL', /✗ .*did not answer within/, () => withChildren(postern.postgres.pid)],
  ['NATS', /NATS\n {2}✗ connection: Could not connect to NATS at \S+ within 3\.5 s/, async () => [postern.nats.pid]],
  ['email-send', /email-send\n {2}✗ responds: /, async () => [postern.processes()['email-send'] as number]],
])(
  'doctor answers within 5 s while %s hangs, disks first',
  async (_, finding, pids) => {
    const hung = await pids();
    for (const pid of hung) process.kill(pid, 'SIGSTOP');
    const { printed, seconds, limit } = await doctorSeconds(postern).finally(() => {
      for (const pid of hung.toReversed()) resume(pid);
    });
    expect(printed.trimStart()).toMatch(/^disks of this machine/);
    expect(printed).toMatch(finding);
    expect(seconds).toBeLessThan(limit);
  },
  90_000,
);
