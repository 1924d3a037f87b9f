import { BenchProcess } from './load/bench-process.js';
import type { ClosedLoop, LoadResult, RequestTemplate } from './load/requests.js';
import { cpuOf } from './measure/process-usage.js';
import { untilQuiet } from './measure/quiet.js';

/** What is measured: where to POST, and the processes that work for it. */
export interface Contestant {
  readonly name: string;
  readonly load: RequestTemplate;
  readonly pids: Readonly<Record<string, number>>;
}

export interface Parties {
  readonly generator: BenchProcess;
  readonly sink: BenchProcess;
  readonly contestants: readonly Contestant[];
}

export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly answered: number;
  /** CPU per message in microseconds, by process, until everything that the round caused was done. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** The same for sink and generator, which belong to nobody. */
  readonly aroundUs: Readonly<Record<string, number>>;
  /** How long read models and outbox went on after the last answer. */
  readonly catchUpS: number;
  readonly bytesPerMessage: number;
}

interface SinkCounters {
  readonly messages: number;
  readonly bytes: number;
}

/** @throws when any request fails, or the sink did not get every message that was answered as sent. */
export const roundOf = async (
  { generator, sink, contestants }: Parties,
  contestant: Contestant,
  { seconds, connections }: Pick<ClosedLoop, 'seconds' | 'connections'>,
): Promise<Round> => {
  const around = { generator: generator.pid, sink: sink.pid };
  const everybody = contestants.flatMap(({ pids }) => Object.values(pids));
  await untilQuiet(everybody);
  const before = { own: cpuOf(contestant.pids), around: cpuOf(around) };
  const sunkBefore = await sink.ask<SinkCounters>('counters');
  const load: ClosedLoop = { ...contestant.load, connections, seconds };
  const result = await generator.ask<LoadResult>('closed', load);
  if (result.failed > 0)
    throw new Error(`${contestant.name}: ${result.failed} requests failed: ${result.firstFailure}`);
  const sunk = await sink.ask<SinkCounters>('counters');
  const messages = sunk.messages - sunkBefore.messages;
  if (messages !== result.answered)
    throw new Error(`${contestant.name}: ${result.answered} were answered as sent, the sink took ${messages}`);
  const catchUpS = await untilQuiet(everybody);
  return {
    perSecond: result.answered / result.seconds,
    p50: result.p50,
    p99: result.p99,
    answered: result.answered,
    cpuUs: perMessage(before.own, cpuOf(contestant.pids), result.answered),
    aroundUs: perMessage(before.around, cpuOf(around), result.answered),
    catchUpS,
    bytesPerMessage: (sunk.bytes - sunkBefore.bytes) / messages,
  };
};

const perMessage = (before: Record<string, number>, after: Record<string, number>, messages: number) =>
  Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) * 1_000) / messages]),
  );
