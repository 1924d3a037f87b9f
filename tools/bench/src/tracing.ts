import { Cleanup } from '@postern/testing';
import { CONNECTIONS, postern, WARM_UP_S } from './email.js';
import { type Candidate, type Round, roundOf } from './email-rounds.js';
import { BenchProcess } from './load/bench-process.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import { startWhole } from './postern.js';
import type { PartReport } from './report.js';

const TARGET = 1.15;

/** The processes that handle a message; others would only add noise. */
const MEASURED_PROCESSES = ['api-gateway', 'email-send', 'delivery-tracking', 'webhook-dispatch', 'nats', 'postgres'];

const cpuOfMessage = ({ cpuUs }: Round): number => Object.values(cpuUs).reduce((total, part) => total + part, 0);

/** Rounds per installation: two installations differ (compiled code, memory) by more than two rounds. */
const ROUNDS_PER_INSTALLATION = 3;

interface Pair {
  readonly without: Round;
  readonly traced: Round;
}

/**
 * `npm run bench -- tracing`: compares two installations in alternating rounds, one of which exports one trace in ten.
 * Both restart for each pair. Compares the CPU of the least disturbed round, because rates depend on other load.
 */
export const measureTracing = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const start = async (script: string) => {
    const started = await BenchProcess.start(script);
    cleanup.push(() => started.stop());
    return started;
  };
  const sink = await start('load/smtp-sink.js');
  const collector = await start('load/http-receiver.js');
  const generator = await start('load/load-generator.js');
  const settings = { without: {}, traced: { POSTERN_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` } };

  const candidateOf = async (name: keyof Pair, installation: Cleanup): Promise<Candidate> => {
    const relays = { POSTERN_RELAYS: `smtp://127.0.0.1:${sink.port}?tls=none&connections=20` };
    const common: Record<string, string> = settings[name];
    const running = await startWhole(installation, {
      'api-gateway': common,
      'email-send': { ...common, ...relays },
      'delivery-tracking': common,
      'webhook-dispatch': common,
    });
    const { load, pids } = await postern(running);
    return {
      name,
      load,
      pids: Object.fromEntries(Object.entries(pids).filter(([part]) => MEASURED_PROCESSES.includes(part))),
    };
  };

  const pairIn = async (order: readonly (keyof Pair)[], installation: Cleanup): Promise<Pair> => {
    const candidates: Candidate[] = [];
    for (const name of order) candidates.push(await candidateOf(name, installation));
    const rounds = new Map<string, Round[]>(order.map(name => [name, []]));
    const run = (candidate: Candidate, seconds: number) =>
      roundOf({ generator, sink, candidates: [candidate] }, candidate, { seconds, connections: CONNECTIONS });
    for (const candidate of candidates) await run(candidate, WARM_UP_S);
    for (let round = 0; round < ROUNDS_PER_INSTALLATION; round++)
      for (const candidate of candidates) rounds.get(candidate.name)?.push(await run(candidate, options.seconds));
    const best = (name: keyof Pair) =>
      (rounds.get(name) ?? []).reduce((least, round) => (cpuOfMessage(round) < cpuOfMessage(least) ? round : least));
    return { without: best('without'), traced: best('traced') };
  };

  const pairs: Pair[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    console.error(`▸ pair ${number} of ${options.rounds}`);
    const installation = new Cleanup();
    cleanup.push(() => installation.run());
    // The order alternates, so that effects of age apply to both.
    pairs.push(await pairIn(number % 2 === 0 ? ['traced', 'without'] : ['without', 'traced'], installation));
    await installation.run();
  }

  const row = (name: string, of: (round: Round) => number) => {
    const without = pairs.map(pair => of(pair.without));
    const traced = pairs.map(pair => of(pair.traced));
    return [name, spread(spreadOf(without)), spread(spreadOf(traced)), spread(ratioOf(traced, without), 3)];
  };
  const ratio = spreadOf(pairs.map(({ without, traced }) => cpuOfMessage(traced) / cpuOfMessage(without)));
  const text = [
    table(
      ['CPU µs per message', 'without tracing', 'one trace in ten', 'ratio'],
      [row('total', cpuOfMessage), ...MEASURED_PROCESSES.map(name => row(name, ({ cpuUs }) => cpuUs[name] ?? 0))],
    ),
    `${figure(pairs.length)} pairs; target: at most ${TARGET}${ratio.median > TARGET ? ', missed' : ''}`,
  ].join('\n\n');
  return { text, figures: { ratio, pairs } };
};
