import { setTimeout as after } from 'node:timers/promises';
import type { Cleanup } from '@postern/testing';
import { BenchProcess } from './load/bench-process.js';
import { cpuOf, peakMemoryOf } from './measure/process-usage.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import type { PartReport } from './report.js';
import { samplePayload, startDispatch, type WebhookDispatch } from './webhook-dispatch.js';

/** Healthy endpoints; some rounds add a tenth that hangs. */
const ENDPOINTS = 9;
/** webhook-dispatch calls one endpoint at most eight times at once. */
const CONCURRENCY = ENDPOINTS * 8;
const HANGING_PATH = '/hangs';

interface Round {
  readonly perSecond: number;
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** The backlog: due deliveries, the same with a hanging endpoint, or events in JetStream. */
type Work = 'deliveries' | 'deliveries with a hanging endpoint' | 'events';

const workOf = async (dispatch: WebhookDispatch, receiver: BenchProcess, events: number, work: Work) => {
  if (work === 'events') return dispatch.eventsWaiting(events);
  if (work === 'deliveries') return dispatch.backlogOf(events);
  await receiver.call('hang', HANGING_PATH);
  return dispatch.backlogOf(events, HANGING_PATH);
};

/** Measures from the resume of the service to the last response. @throws if attempts are lost. */
const roundOf = async (
  dispatch: WebhookDispatch,
  receiver: BenchProcess,
  events: number,
  work: Work,
): Promise<Round> => {
  await receiver.call('reset');
  const backlog = await workOf(dispatch, receiver, events, work);
  const count = events * ENDPOINTS;
  const before = cpuOf(dispatch.pids);
  const startedAt = Date.now();
  backlog.release();
  const lastAt = await receiver.call<number>('until', count);
  const seconds = (lastAt - startedAt) / 1_000;
  await backlog.recorded();
  const cpu = cpuOf(dispatch.pids);
  await receiver.call('release');
  await backlog.end();
  const us = Object.fromEntries(
    Object.entries(cpu).map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) * 1_000) / count]),
  );
  return { perSecond: count / seconds, cpuUs: us };
};

/** `npm run bench -- webhooks`. */
export const measureWebhooks = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const events = options.quick ? 50 : 1_500;
  const receiver = await BenchProcess.start('load/http-receiver.js');
  cleanup.push(() => receiver.stop());
  const sender = await BenchProcess.start('reference/webhook-sender.js');
  cleanup.push(() => sender.stop());
  const origin = `http://127.0.0.1:${receiver.port}`;
  const dispatch = await startDispatch(cleanup, origin, ENDPOINTS);
  const referenceRate = async () => {
    await receiver.call('reset');
    const count = events * ENDPOINTS;
    const { seconds } = await sender.call<{ seconds: number }>('send', {
      origin,
      paths: Array.from({ length: ENDPOINTS }, (_, number) => `/${number}`),
      payload: samplePayload,
      secret: 'whsec_reference',
      count,
      concurrency: CONCURRENCY,
    });
    return count / seconds;
  };

  await referenceRate();
  await roundOf(dispatch, receiver, Math.min(events, 300), 'deliveries');
  const rounds: Round[] = [];
  const withHanging: Round[] = [];
  const wholePath: Round[] = [];
  const reference: number[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    console.error(`▸ round ${number} of ${options.rounds}`);
    rounds.push(await roundOf(dispatch, receiver, events, 'deliveries'));
    reference.push(await referenceRate());
    wholePath.push(await roundOf(dispatch, receiver, events, 'events'));
    withHanging.push(await roundOf(dispatch, receiver, events, 'deliveries with a hanging endpoint'));
    await after(500);
  }
  return report({ rounds, withHanging, wholePath, reference, dispatch, deliveries: events * ENDPOINTS });
};

interface Measured {
  readonly rounds: readonly Round[];
  readonly withHanging: readonly Round[];
  readonly wholePath: readonly Round[];
  readonly reference: readonly number[];
  readonly dispatch: WebhookDispatch;
  readonly deliveries: number;
}

const report = ({ rounds, withHanging, wholePath, reference, dispatch, deliveries }: Measured): PartReport => {
  const rate = (of: readonly Round[]) => of.map(({ perSecond }) => perSecond);
  const cpu = (of: readonly Round[]) =>
    Object.keys(dispatch.pids)
      .map(name => `${name} ${figure(spreadOf(of.map(({ cpuUs }) => cpuUs[name] ?? 0)).median)}`)
      .join(', ');
  const toReference = ratioOf(rate(rounds), reference);
  const wholeToReference = ratioOf(rate(wholePath), reference);
  const healthy = ratioOf(rate(withHanging), rate(rounds));
  const peak = Object.fromEntries(Object.entries(dispatch.pids).map(([name, pid]) => [name, peakMemoryOf(pid)]));
  return {
    text: [
      table(
        ['', 'deliveries/s', 'CPU µs/delivery'],
        [
          ['webhook-dispatch, 9 endpoints', spread(spreadOf(rate(rounds))), cpu(rounds)],
          ['the same 9 with a hanging tenth', spread(spreadOf(rate(withHanging))), cpu(withHanging)],
          ['the whole path, from the log', spread(spreadOf(rate(wholePath))), cpu(wholePath)],
          ['undici loop, signed, without records', spread(spreadOf(reference)), ''],
        ],
      ),
      `webhook-dispatch / undici loop   ${spread(toReference, 2)}   (target: at least 0.3)\n` +
        `whole path / undici loop         ${spread(wholeToReference, 2)}   (target: at least 0.3)\n` +
        `healthy endpoints, with / without a hanging one   ${spread(healthy, 2)}   (target: at least 0.8)\n` +
        `backlogs of ${figure(deliveries)} deliveries; peak MiB: ${Object.entries(peak)
          .map(([name, mib]) => `${name} ${figure(mib)}`)
          .join(', ')}`,
    ].join('\n\n'),
    figures: {
      rounds,
      with_hanging: withHanging,
      whole_path: wholePath,
      reference_per_second: reference,
      peak_memory_mib: peak,
      ratios: {
        dispatch_to_reference: toReference,
        whole_path_to_reference: wholeToReference,
        healthy_with_to_without_hanging: healthy,
      },
    },
  };
};
