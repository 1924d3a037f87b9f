import { setTimeout as after } from 'node:timers/promises';
import { ReplicaSet, type ReplicatedService, type RunningPostern } from '@postern/local-start';
import { type Cleanup, waitFor } from '@postern/testing';
import pg from 'pg';
import { BenchProcess } from './load/bench-process.js';
import type { ClosedLoop, LoadResult } from './load/requests.js';
import { cpuOf } from './measure/process-usage.js';
import { untilIdle } from './measure/quiet.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import { emailBody } from './message.js';
import type { BenchOptions } from './options.js';
import { lifted, productionService, SENDING_DOMAIN, signIn, startWhole } from './postern.js';
import { natsMessagesDuring, OBSERVER, serverCounts, type Work, workOfReplicas } from './replica-counts.js';
import type { PartReport } from './report.js';

const REPLICAS = [1, 2, 4];
/** Partitions of dispatchers hold whole workspaces. */
const WORKSPACES = 8;
const CONNECTIONS = 64;
const IDLE_S = 5;
const IDLE_WITHIN_S = 20;
const PASSWORD = 'a long enough password';
/** Of all figures whose unit is a message. */
const PER_MESSAGE = ['cpuUs', 'transactions', 'rows', 'walBytes', 'natsMessages'] as const;

interface Round {
  readonly perSecond: number;
  readonly p99: number;
  /** From the last response to the last webhook. */
  readonly lagS: number;
  /** These are per message, without what the same time costs if nothing is sent. */
  readonly cpuUs: number;
  readonly transactions: number;
  readonly rows: number;
  readonly walBytes: number;
  readonly natsMessages: number;
  readonly connections: number;
  readonly idleTransactions: number;
  readonly idleCpuPercent: number;
  /** The work of each replica in this round, by service. */
  readonly work: Readonly<Record<string, readonly Work[]>>;
}

interface Parties {
  readonly running: RunningPostern;
  readonly replicas: ReplicaSet;
  readonly generator: BenchProcess;
  readonly receiver: BenchProcess;
  readonly keys: readonly string[];
}

const pidsOf = ({ running, replicas }: Parties): Record<string, number> => {
  const { 'mail-simulator': _, ...pids } = running.processes();
  const further = [...replicas.processes.values()].flat().flatMap(({ name, pid }) => (pid ? [[name, pid]] : []));
  return { ...pids, ...Object.fromEntries(further) };
};
const cpuMsOf = (parties: Parties): number => Object.values(cpuOf(pidsOf(parties))).reduce((sum, ms) => sum + ms, 0);

/** All workspaces send at once; the load is that of one closed loop. */
const load = async ({ replicas, generator, keys }: Parties, seconds: number): Promise<LoadResult[]> => {
  const results = await Promise.all(
    keys.map((key, number) => {
      const headers = { 'api-key': key, 'content-type': 'application/json' };
      const body = emailBody.replaceAll(SENDING_DOMAIN, domainOf(number));
      const loop = { url: `${replicas.baseUrl}/emails`, headers, body };
      return generator.call<LoadResult>('closed', {
        ...loop,
        seconds,
        connections: CONNECTIONS / WORKSPACES,
      } satisfies ClosedLoop);
    }),
  );
  for (const { failed, firstFailure } of results)
    if (failed > 0) throw new Error(`${failed} requests failed: ${firstFailure}`);
  return results;
};
const answeredIn = (results: readonly LoadResult[]): number => results.reduce((sum, { answered }) => sum + answered, 0);

/** What has been used until now. */
const used = async (parties: Parties) => ({
  at: performance.now(),
  cpu: cpuMsOf(parties),
  counts: await serverCounts(parties.running),
});

const domainOf = (number: number): string => `bench${number}.example`;

/** Waits until every dispatcher owns its share of the partitions. */
const untilShared = async ({ wiring }: RunningPostern, count: number): Promise<void> => {
  const client = new pg.Client({ connectionString: wiring.databaseUrl('webhook-dispatch') });
  await client.connect();
  const shares =
    'SELECT count(DISTINCT dispatcher)::int AS owners, count(dispatcher)::int AS owned FROM dispatch_partitions';
  try {
    await waitFor(
      async () => {
        const [row] = (await client.query<{ owners: number; owned: number }>(shares)).rows;
        return row?.owners === count && row.owned === 64;
      },
      { timeoutMs: 60_000, intervalMs: 250, describe: `${count} dispatchers to share the partitions` },
    );
  } finally {
    await client.end();
  }
};

const differences = (before: readonly Work[] = [], now: readonly Work[]): Work[] =>
  now.map((work, replica) =>
    Object.fromEntries(
      Object.entries(work).map(([metric, value]) => [metric, value - (before[replica]?.[metric] ?? 0)]),
    ),
  );

const roundOf = async (parties: Parties, count: number, seconds: number): Promise<Round> => {
  const { running, replicas, receiver } = parties;
  await replicas.scaleTo(count);
  await untilShared(running, count);
  const pids = Object.values(pidsOf(parties));
  await untilIdle(pids, IDLE_WITHIN_S, count);
  const idle = await used(parties);
  await after(IDLE_S * 1_000);
  const before = await used(parties);
  const workBefore = await workOfReplicas(running, replicas);
  const delivered = (messages: number) => receiver.call<number>('until', messages);
  await receiver.call('reset');
  const started = await used(parties);
  const results = await load(parties, seconds);
  const answered = answeredIn(results);
  const endedAt = Date.now();
  const lagS = ((await delivered(answered)) - endedAt) / 1_000;
  await untilIdle(pids, IDLE_WITHIN_S, count);
  const ended = await used(parties);
  const work = await workOfReplicas(running, replicas);
  let counted = 0;
  await receiver.call('reset');
  // Counted apart, because the observer costs NATS time.
  const natsMessages = await natsMessagesDuring(running, async () => {
    counted = answeredIn(await load(parties, Math.max(1, Math.round(seconds / 4))));
    await delivered(counted);
  });
  const idleShare = (ended.at - started.at) / (before.at - idle.at);
  const cpu = ended.cpu - started.cpu - (before.cpu - idle.cpu) * idleShare;
  const per = (of: 'transactions' | 'rows' | 'walBytes') =>
    (ended.counts[of] - started.counts[of] - (before.counts[of] - idle.counts[of]) * idleShare) / answered;
  return {
    perSecond: answered / Math.max(...results.map(result => result.seconds)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
    lagS: Math.max(0, lagS),
    cpuUs: (cpu * 1_000) / answered,
    transactions: per('transactions'),
    rows: per('rows'),
    walBytes: per('walBytes'),
    natsMessages: natsMessages / counted,
    connections: ended.counts.connections,
    idleTransactions: (before.counts.transactions - idle.counts.transactions) / IDLE_S,
    idleCpuPercent: (before.cpu - idle.cpu) / (IDLE_S * 10),
    work: Object.fromEntries([...work].map(([service, of]) => [service, differences(workBefore.get(service), of)])),
  };
};

/** `npm run bench -- replicas`: 1, 2 and 4 replicas of each service in interleaved rounds. */
export const measureReplicas = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const generator = await BenchProcess.start('load/load-generator.js');
  cleanup.push(() => generator.stop());
  const receiver = await BenchProcess.start('load/http-receiver.js');
  cleanup.push(() => receiver.stop());
  const replicas = await ReplicaSet.open();
  const running = await startWhole(cleanup, replicas.environmentOf(lifted({})), {
    simulator: replicas.simulator,
    natsSuperusers: [OBSERVER],
  });
  cleanup.push(() => replicas.stop());
  replicas.attach(running);
  const operator = await signIn(running);
  const keys: string[] = [];
  for (let number = 0; number < WORKSPACES; number++) {
    const account = { email: `bench${number}@bench.example`, password: PASSWORD };
    await operator.post('/users', account);
    const dashboard = await signIn(running, account);
    const webhook = `http://127.0.0.1:${receiver.port}/${number}`;
    keys.push(await productionService(running, { dashboard, domain: domainOf(number), webhook }));
  }
  const parties: Parties = { running, replicas, generator, receiver, keys };
  await roundOf(parties, 1, 2);
  const rounds = new Map<number, Round[]>(REPLICAS.map(count => [count, []]));
  for (let number = 1; number <= options.rounds; number++)
    for (const count of REPLICAS) {
      console.error(`▸ round ${number} of ${options.rounds}: ${count} of each service`);
      const round = await roundOf(parties, count, options.seconds);
      rounds.get(count)?.push(round);
      const { work: _, ...figures } = round;
      console.error(
        `  ${Object.entries(figures)
          .map(([name, value]) => `${name} ${figure(value, 1)}`)
          .join(', ')}`,
      );
    }
  return report(rounds);
};

const report = (rounds: ReadonlyMap<number, readonly Round[]>): PartReport => {
  const columns = [...rounds.values()];
  const row = (title: string, of: (round: Round) => number, digits = 0) => [
    title,
    ...columns.map(each => spread(spreadOf(each.map(of)), digits)),
  ];
  const first = columns[0] ?? [];
  const ratios = [
    ['messages/s', (round: Round) => round.perSecond] as const,
    ...PER_MESSAGE.map(name => [name, (round: Round) => round[name]] as const),
  ].map(([title, of]) => [title, ...columns.slice(1).map(each => spread(ratioOf(each.map(of), first.map(of)), 2))]);
  return {
    text: [
      table(
        ['', ...[...rounds.keys()].map(count => `${count} of each`)],
        [
          row('messages/s', ({ perSecond }) => perSecond),
          row('p99 ms', ({ p99 }) => p99),
          row('last webhook after the last response, s', ({ lagS }) => lagS, 1),
          row('CPU µs/message, all processes', ({ cpuUs }) => cpuUs),
          row('transactions/message', ({ transactions }) => transactions, 1),
          row('rows written/message', ({ rows }) => rows, 1),
          row('WAL bytes/message', ({ walBytes }) => walBytes),
          row('NATS messages/message', ({ natsMessages }) => natsMessages, 1),
          row('connections to PostgreSQL', ({ connections }) => connections),
          row('idle: transactions/s', ({ idleTransactions }) => idleTransactions),
          row('idle: CPU % of a core, all processes', ({ idleCpuPercent }) => idleCpuPercent, 1),
        ],
      ),
      table(['relative to one of each', ...[...rounds.keys()].slice(1).map(count => `${count} of each`)], ratios),
      table(['share of each replica, %', ...[...rounds.keys()].map(count => `${count} of each`)], shareRows(columns)),
    ].join('\n\n'),
    figures: Object.fromEntries([...rounds].map(([count, each]) => [`replicas_${count}`, each])),
  };
};

/** The parts of the work of a service that its replicas had in all rounds, largest first. */
const shareRows = (columns: readonly (readonly Round[])[]): string[][] => {
  const kinds = Object.entries(columns[0]?.[0]?.work ?? {}).flatMap(([service, [work]]) =>
    Object.keys(work ?? {}).map(metric => [service as ReplicatedService, metric] as const),
  );
  return kinds.map(([service, metric]) => [
    `${service}: ${metric}`,
    ...columns.map(rounds => {
      const replicas = rounds[0]?.work[service]?.length ?? 0;
      const sums = Array.from({ length: replicas }, (_, replica) =>
        rounds.reduce((sum, { work }) => sum + (work[service]?.[replica]?.[metric] ?? 0), 0),
      ).toSorted((a, b) => b - a);
      const total = sums.reduce((sum, one) => sum + one, 0);
      return total === 0 ? '–' : sums.map(one => figure((one * 100) / total)).join(' ');
    }),
  ]);
};
