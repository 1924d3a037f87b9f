import { BenchProcess } from './load/bench-process.js';
import type { ClosedLoop, LoadResult, RequestTemplate } from './load/requests.js';
import { cpuOf } from './measure/process-usage.js';
import { untilIdle } from './measure/quiet.js';
import { signatureUs } from './measure/rsa-signature.js';

/** A system to measure: its endpoint and processes. */
export interface Candidate {
  readonly name: string;
  readonly load: RequestTemplate;
  readonly pids: Readonly<Record<string, number>>;
}

export interface Parties {
  readonly generator: BenchProcess;
  readonly sink: BenchProcess;
  readonly candidates: readonly Candidate[];
}

export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly answered: number;
  /** CPU per message in microseconds, by process, until all work of the round is done. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** The same for the sink and the generator. */
  readonly aroundUs: Readonly<Record<string, number>>;
  /** CPU of an RSA-2048 signature before the round, in microseconds. */
  readonly signatureUs: number;
  /** How long read models and consumers needed to catch up after the last response. */
  readonly catchUpS: number;
  readonly bytesPerMessage: number;
}

interface SinkCounters {
  readonly messages: number;
  readonly bytes: number;
}

/** @throws if a request fails, or if the sink did not receive every message that was reported as sent. */
export const roundOf = async (
  { generator, sink, candidates }: Parties,
  candidate: Candidate,
  { seconds, connections }: Pick<ClosedLoop, 'seconds' | 'connections'>,
): Promise<Round> => {
  const around = { generator: generator.pid, sink: sink.pid };
  const everybody = candidates.flatMap(({ pids }) => Object.values(pids));
  await untilIdle(everybody);
  const signature = signatureUs();
  const before = { own: cpuOf(candidate.pids), around: cpuOf(around) };
  const sunkBefore = await sink.call<SinkCounters>('counters');
  const load: ClosedLoop = { ...candidate.load, connections, seconds };
  const result = await generator.call<LoadResult>('closed', load);
  if (result.failed > 0) throw new Error(`${candidate.name}: ${result.failed} requests failed: ${result.firstFailure}`);
  const sunk = await sink.call<SinkCounters>('counters');
  const messages = sunk.messages - sunkBefore.messages;
  if (messages !== result.answered)
    throw new Error(`${candidate.name}: ${result.answered} were reported as sent, but the sink received ${messages}`);
  const catchUpS = await untilIdle(everybody);
  return {
    perSecond: result.answered / result.seconds,
    p50: result.p50,
    p99: result.p99,
    answered: result.answered,
    cpuUs: perMessage(before.own, cpuOf(candidate.pids), result.answered),
    aroundUs: perMessage(before.around, cpuOf(around), result.answered),
    signatureUs: signature,
    catchUpS,
    bytesPerMessage: (sunk.bytes - sunkBefore.bytes) / messages,
  };
};

const perMessage = (before: Record<string, number>, after: Record<string, number>, messages: number) =>
  Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) * 1_000) / messages]),
  );
