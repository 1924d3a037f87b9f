import { CONNECTIONS, postern, WARM_UP_S } from './email.js';
import { type Contestant, type Round, roundOf } from './email-rounds.js';
import { BenchProcess } from './load/bench-process.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import { startWhole } from './postern.js';
import type { PartReport } from './report.js';
import { Undo } from './undo.js';

const WANTED = 1.15;

/** Those that a message passes through; what the others do beside it would only be noise. */
const ON_THE_WAY = ['api-gateway', 'email-send', 'delivery-tracking', 'webhook-dispatch', 'nats', 'postgres'];

const cpuOfMessage = ({ cpuUs }: Round): number => Object.values(cpuUs).reduce((total, part) => total + part, 0);

/** Within one life of the processes; what differs from life to life (compiled code, memory) is larger than a round. */
const ROUNDS_A_LIFE = 3;

interface Pair {
  readonly without: Round;
  readonly traced: Round;
}

/**
 * `npm run bench -- tracing`: two whole Posterns, one of which sends every tenth trace to a collector, in rounds that
 * alternate; both are started anew for every pair of figures. CPU is what is compared, for rates depend on what else
 * the machine does, and of its rounds the least disturbed one.
 */
export const measureTracing = async (options: BenchOptions, undo: Undo): Promise<PartReport> => {
  const start = async (script: string) => {
    const started = await BenchProcess.start(script);
    undo.push(() => started.stop());
    return started;
  };
  const sink = await start('load/smtp-sink.js');
  const collector = await start('load/http-receiver.js');
  const generator = await start('load/load-generator.js');
  const settings = { without: {}, traced: { POSTERN_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` } };

  const contestantOf = async (name: keyof Pair, life: Undo): Promise<Contestant> => {
    const relays = { POSTERN_RELAYS: `smtp://127.0.0.1:${sink.port}?tls=none&connections=20` };
    const common: Record<string, string> = settings[name];
    const running = await startWhole(life, {
      'api-gateway': common,
      'email-send': { ...common, ...relays },
      'delivery-tracking': common,
      'webhook-dispatch': common,
    });
    const { load, pids } = await postern(running);
    return { name, load, pids: Object.fromEntries(Object.entries(pids).filter(([part]) => ON_THE_WAY.includes(part))) };
  };

  const pairIn = async (order: readonly (keyof Pair)[], life: Undo): Promise<Pair> => {
    const contestants: Contestant[] = [];
    for (const name of order) contestants.push(await contestantOf(name, life));
    const rounds = new Map<string, Round[]>(order.map(name => [name, []]));
    const run = (contestant: Contestant, seconds: number) =>
      roundOf({ generator, sink, contestants: [contestant] }, contestant, { seconds, connections: CONNECTIONS });
    for (const contestant of contestants) await run(contestant, WARM_UP_S);
    for (let round = 0; round < ROUNDS_A_LIFE; round++)
      for (const contestant of contestants) rounds.get(contestant.name)?.push(await run(contestant, options.seconds));
    const best = (name: keyof Pair) =>
      (rounds.get(name) ?? []).reduce((least, round) => (cpuOfMessage(round) < cpuOfMessage(least) ? round : least));
    return { without: best('without'), traced: best('traced') };
  };

  const pairs: Pair[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    console.error(`▸ pair ${number} of ${options.rounds}`);
    const life = new Undo();
    undo.push(() => life.run());
    // Who is first changes, so that what comes with age harms both alike.
    pairs.push(await pairIn(number % 2 === 0 ? ['traced', 'without'] : ['without', 'traced'], life));
    await life.run();
  }

  const row = (name: string, of: (round: Round) => number) => {
    const without = pairs.map(pair => of(pair.without));
    const traced = pairs.map(pair => of(pair.traced));
    return [name, spread(spreadOf(without)), spread(spreadOf(traced)), spread(ratioOf(traced, without), 3)];
  };
  const ratio = spreadOf(pairs.map(({ without, traced }) => cpuOfMessage(traced) / cpuOfMessage(without)));
  const text = [
    table(
      ['CPU µs a message', 'without tracing', 'every tenth trace', 'ratio'],
      [row('together', cpuOfMessage), ...ON_THE_WAY.map(name => row(name, ({ cpuUs }) => cpuUs[name] ?? 0))],
    ),
    `${figure(pairs.length)} pairs; wanted: at most ${WANTED}${ratio.median > WANTED ? ', missed' : ''}`,
  ].join('\n\n');
  return { text, figures: { ratio, pairs } };
};
