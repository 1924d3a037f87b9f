import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { webApp } from '../platform/repository.js';
import { ownPlatform } from '../stories.js';
import { Gate, isOpen, withGates } from './gate.js';

const platform = await ownPlatform(await withGates());
const { world } = platform;

/** How long before the scheduled time the control plane is killed, so that it is down at that time. */
const KILLED_BEFORE_MS = 300;

type Row = Readonly<Record<string, unknown>>;

describe('a cron job whose control plane is killed just before the scheduled time, and again with the agent during the run', () => {
  const gate = Gate.create();
  let scheduledFor: string;
  let history: readonly Row[];
  let lines: readonly string[];

  const kill = (name: string) => process.kill(world.postern.processes()[name] as number, 'SIGKILL');

  beforeAll(async () => {
    const command = `console.log('began'); while (!(${isOpen(gate)})) await new Promise(end => setTimeout(end, 50)); console.log('done');`;
    const service = await platform.service(webApp('one', { 'report.js': command }));
    await service.deploy();
    const jobs = `${service.path}/cron-jobs`;
    const job = { name: 'report', schedule: '* * * * *', command: 'node report.js' };
    const { body } = await world.callDashboardApi('POST', jobs, job);
    scheduledFor = body['next_run_at'] as string;
    const runOf = async () => {
      const answer = await world.callDashboardApi('GET', `${jobs}/${body['id']}/runs`).catch(() => undefined);
      history = answer?.status === 200 ? (answer.body['items'] as Row[]) : [];
      return history.find(run => run['scheduled_for'] === scheduledFor);
    };

    await pause(Math.max(0, Date.parse(scheduledFor) - Date.now() - KILLED_BEFORE_MS));
    kill('platform-management');
    const hasBegun = async () => (await service.logs('?tail=10')).some(({ message }) => message === 'began');
    await waitFor(() => hasBegun().catch(() => false), {
      timeoutMs: 60_000,
      intervalMs: 100,
      describe: 'the run to begin, though the control plane had been killed',
    });
    kill('runtime-agent');
    kill('platform-management');
    gate.open();
    const run = await waitFor(
      async () => {
        const found = await runOf();
        return found?.['finished_at'] ? found : undefined;
      },
      { timeoutMs: 60_000, intervalMs: 200, describe: 'the run to end' },
    );
    const { body: shown } = await world.callDashboardApi('GET', `${service.path}/runs/${run['id']}`);
    lines = (shown['lines'] as { message: string }[]).map(({ message }) => message);
    await world.callDashboardApi('DELETE', `${jobs}/${body['id']}`);
  }, 240_000);

  afterAll(() => gate.remove());

  it('has one successful run for this time', () => {
    expect(history.filter(run => run['scheduled_for'] === scheduledFor)).toEqual([
      expect.objectContaining({ status: 'succeeded', exit_code: 0 }),
    ]);
  });

  it('has run its command once', () => expect(lines).toEqual(['began', 'done']));
});
