import type { Cleanup } from '@postern/testing';
import { BenchProcess } from './load/bench-process.js';
import type { ClosedLoop, LoadResult, OpenLoop } from './load/requests.js';
import { cpuOf } from './measure/process-usage.js';
import { spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import { BenchService } from './platform-service.js';
import { startWhole } from './postern.js';
import type { PartReport } from './report.js';

const CONNECTIONS = 32;
const WARM_UP_S = 5;
const TRAFFIC_PER_SECOND = 200;
const TRAFFIC_CONNECTIONS = 16;
/** Time limit of the operations, so that all of them run under traffic. */
const TRAFFIC_S = 75;
/** The service scales up after a minute of load and down after a minute without load. */
const SCALING_S = 300;

const READS = {
  'GET /users/me/api-key': () => '/users/me/api-key',
  'GET /projects': () => '/projects',
  'GET /web-services/{id}': ({ path }: BenchService) => path,
  'GET /web-services/{id}/deployments': ({ path }: BenchService) => `${path}/deployments`,
} as const;

/** `npm run bench -- platform`. */
export const measurePlatform = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const running = await startWhole(cleanup, { 'platform-management': { POSTERN_PLATFORM_CALLS_PER_MINUTE: '0' } });
  const generator = await BenchProcess.start('load/load-generator.js');
  cleanup.push(() => generator.stop());
  const service = await BenchService.create(running, cleanup);
  const first = await service.deploy();

  const deployments: number[] = [];
  const rollbacks: number[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    console.error(`▸ deployment and rollback ${number} of ${options.rounds}`);
    deployments.push((await service.deploy()).seconds);
    rollbacks.push(await service.rollBack(first.id, first.version));
  }

  const headers = { authorization: `Bearer ${service.key}` };
  const reads: string[][] = [];
  const readFigures: Record<string, unknown> = {};
  for (const [name, pathOf] of Object.entries(READS)) {
    const url = `${running.baseUrl}/api/v1${pathOf(service)}`;
    const load: ClosedLoop = { url, headers, connections: CONNECTIONS, seconds: options.seconds };
    await generator.call<LoadResult>('closed', { ...load, seconds: Math.min(WARM_UP_S, options.seconds) });
    const rounds: LoadResult[] = [];
    const before = cpuOf(running.processes());
    for (let number = 1; number <= options.rounds; number++) {
      console.error(`▸ ${name}, round ${number} of ${options.rounds}`);
      rounds.push(await generator.call<LoadResult>('closed', load));
    }
    const failed = rounds.find(round => round.failed > 0);
    if (failed) throw new Error(`${name}: ${failed.failed} requests failed: ${failed.firstFailure}`);
    const answered = rounds.reduce((sum, round) => sum + round.answered, 0);
    const after = cpuOf(running.processes());
    const cpuUs = Object.entries(after).reduce((sum, [process, ms]) => sum + (ms - (before[process] ?? 0)), 0) * 1_000;
    const rate = spreadOf(rounds.map(round => round.answered / round.seconds));
    const p99 = spreadOf(rounds.map(round => round.p99));
    reads.push([name, spread(rate), spread(p99, 1), figure(cpuUs / answered)]);
    readFigures[name] = { rate, p99 };
  }

  const underTraffic = await operationsUnderTraffic(service, generator, options);
  return {
    text: [
      table(['through the gateway, 32 connections', 'reads/s', 'p99 ms', 'CPU µs/read'], reads),
      '',
      `deployment, POST to live   ${spread(spreadOf(deployments), 2)} s`,
      `rollback, POST to response ${spread(spreadOf(rollbacks), 2)} s`,
      '',
      ...underTraffic.map(({ what, result }) => {
        const lost = result.failed === 0 ? 'none failed' : `${result.failed} failed, first: ${result.firstFailure}`;
        return `${what}: ${figure(result.answered + result.failed)} requests at ${TRAFFIC_PER_SECOND}/s, ${lost}; p99 ${figure(result.p99, 1)} ms, longest ${figure(result.max, 1)} ms`;
      }),
    ].join('\n'),
    figures: {
      reads: readFigures,
      deployments: spreadOf(deployments),
      rollbacks: spreadOf(rollbacks),
      underTraffic: Object.fromEntries(underTraffic.map(({ what, result }) => [what, result])),
    },
  };
};

/** Sends requests at a fixed rate during operations, which must end before the traffic. */
const operationsUnderTraffic = async (service: BenchService, generator: BenchProcess, options: BenchOptions) => {
  const url = await service.url();
  const traffic = (seconds: number): OpenLoop => ({
    url,
    headers: {},
    connections: TRAFFIC_CONNECTIONS,
    perSecond: TRAFFIC_PER_SECOND,
    seconds,
  });
  const during = async (what: string, seconds: number, operations: () => Promise<void>) => {
    console.error(`▸ ${what} under traffic, ${seconds} s`);
    let over = false;
    const sending = generator.call<LoadResult>('open', traffic(seconds)).finally(() => {
      over = true;
    });
    await Promise.all([
      sending,
      operations().then(() => over && Promise.reject(new Error(`${what} took longer than the traffic`))),
    ]);
    return { what, result: await sending };
  };
  const results = [
    await during('restart, deployment and rollback', TRAFFIC_S, async () => {
      await service.restart();
      const { id, version } = await service.deploy();
      await service.deploy();
      await service.rollBack(id, version);
    }),
  ];
  if (options.quick) return results;
  const burning = await BenchProcess.start('load/load-generator.js');
  try {
    results.push(
      await during('scaling up and down', SCALING_S, async () => {
        const load: OpenLoop = { ...traffic(SCALING_S), url: `${url}/burn`, perSecond: 40, seconds: SCALING_S / 2 };
        const done = burning.call<LoadResult>('open', load);
        await service.untilInstances(2, (SCALING_S * 1_000) / 2);
        await done;
        await service.untilInstances(1, (SCALING_S * 1_000) / 2);
      }),
    );
  } finally {
    await burning.stop();
  }
  return results;
};
