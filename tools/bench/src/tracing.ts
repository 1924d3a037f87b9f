import { CONNECTIONS, postern, WARM_UP_S } from './email.js';
import { type Contestant, type Round, roundOf } from './email-rounds.js';
import { BenchProcess } from './load/bench-process.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import { startWhole } from './postern.js';
import type { PartReport } from './report.js';
import type { Undo } from './undo.js';

const WANTED = 1.15;

/** Those that a message passes through; what the others do beside it would only be noise. */
const ON_THE_WAY = ['api-gateway', 'email-send', 'delivery-tracking', 'webhook-dispatch', 'nats', 'postgres'];

const cpuOfMessage = ({ cpuUs }: Round): number => Object.values(cpuUs).reduce((total, part) => total + part, 0);

/**
 * `npm run bench -- tracing`: two whole Posterns, one of which sends every tenth trace to a collector, in rounds that
 * alternate. CPU is what is compared, for rates depend on what else the machine does.
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
  const contestantOf = async (name: string, common: Record<string, string>): Promise<Contestant> => {
    const relays = { POSTERN_RELAYS: `smtp://127.0.0.1:${sink.port}?tls=none&connections=20` };
    const running = await startWhole(undo, {
      'api-gateway': common,
      'email-send': { ...common, ...relays },
      'delivery-tracking': common,
      'webhook-dispatch': common,
      'platform-management': common,
    });
    const { load, pids } = await postern(running);
    return { name, load, pids: Object.fromEntries(Object.entries(pids).filter(([part]) => ON_THE_WAY.includes(part))) };
  };
  const contestants = [
    await contestantOf('without tracing', {}),
    await contestantOf('every tenth trace', { POSTERN_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` }),
  ];

  const rounds: Round[][] = contestants.map(() => []);
  const run = (place: number, seconds: number) => {
    const contestant = contestants[place] as Contestant;
    return roundOf({ generator, sink, contestants: [contestant] }, contestant, { seconds, connections: CONNECTIONS });
  };
  for (const place of contestants.keys()) await run(place, WARM_UP_S);
  for (let number = 1; number <= options.rounds; number++) {
    // Who goes first changes, so that a machine that grows slower harms both alike.
    const order = number % 2 === 0 ? [1, 0] : [0, 1];
    console.error(`▸ round ${number} of ${options.rounds}: ${order.map(place => contestants[place]?.name).join(', ')}`);
    for (const place of order) rounds[place]?.push(await run(place, options.seconds));
  }

  const [without = [], traced = []] = rounds;
  const ratio = ratioOf(traced.map(cpuOfMessage), without.map(cpuOfMessage));
  const row = (name: string, of: (round: Round) => number) => [
    name,
    spread(spreadOf(without.map(of))),
    spread(spreadOf(traced.map(of))),
    spread(ratioOf(traced.map(of), without.map(of)), 3),
  ];
  const text = [
    table(
      ['CPU µs a message', ...contestants.map(({ name }) => name), 'ratio'],
      [row('together', cpuOfMessage), ...ON_THE_WAY.map(name => row(name, ({ cpuUs }) => cpuUs[name] ?? 0))],
    ),
    `${figure(traced.length)} pairs of rounds; wanted: at most ${WANTED}${ratio.median > WANTED ? ', missed' : ''}`,
  ].join('\n\n');
  return { text, figures: { ratio, without, traced } };
};
