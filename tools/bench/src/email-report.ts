import type { Candidate, Round } from './email-rounds.js';
import type { LoadResult } from './load/requests.js';
import { peakMemoryOf } from './measure/process-usage.js';
import { ratioOf, spreadOf } from './measure/statistics.js';
import { figure, spread, table } from './measure/table.js';
import type { PartReport } from './report.js';

export interface EmailFigures {
  readonly candidates: readonly Candidate[];
  /** By candidate, in order. */
  readonly rounds: readonly (readonly Round[])[];
  readonly open: readonly (readonly LoadResult[])[];
  readonly bytesPerMessage: number;
  /** The rounds, or the reason why there are none. */
  readonly postfix:
    | {
        readonly version: string;
        readonly perSecond: readonly number[];
        readonly pids: Readonly<Record<string, number>>;
      }
    | string;
}

const sum = (parts: Readonly<Record<string, number>>) => Object.values(parts).reduce((total, part) => total + part, 0);
const rates = (rounds: readonly Round[]) => rounds.map(({ perSecond }) => perSecond);
const tails = (open: readonly LoadResult[]) => open.map(({ p99 }) => p99);
const peaks = (pids: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, peakMemoryOf(pid)]));

const inSignatures = ({ cpuUs, signatureUs }: Round): number => sum(cpuUs) / signatureUs;

const summaryRow = (name: string, rounds: readonly Round[], open: readonly LoadResult[]): string[] => [
  name,
  spread(spreadOf(rates(rounds))),
  spread(spreadOf(rounds.map(({ p50 }) => p50)), 1),
  spread(spreadOf(rounds.map(({ p99 }) => p99)), 1),
  spread(spreadOf(open.map(({ p99 }) => p99)), 1),
  spread(spreadOf(rounds.map(({ cpuUs }) => sum(cpuUs)))),
  spread(spreadOf(rounds.map(inSignatures)), 1),
  spread(spreadOf(rounds.map(({ catchUpS }) => catchUpS)), 1),
];

const processTable = (name: string, rounds: readonly Round[], pids: Candidate['pids']): string => {
  const memory = peaks(pids);
  const row = (process: string, usage: (round: Round) => number | undefined, peak?: number) => [
    process,
    spread(spreadOf(rounds.map(round => usage(round) ?? 0))),
    peak === undefined ? '' : figure(peak),
  ];
  return table(
    [name, 'CPU µs/message', 'peak MiB'],
    [
      ...Object.keys(pids).map(process => row(process, ({ cpuUs }) => cpuUs[process], memory[process])),
      ...Object.keys(rounds[0]?.aroundUs ?? {}).map(process =>
        row(`(${process})`, ({ aroundUs }) => aroundUs[process]),
      ),
    ],
  );
};

/** Creates the tables and the data of the JSON file. */
export const emailReport = (figures: EmailFigures): PartReport => {
  const { candidates, rounds, open, postfix } = figures;
  const [ours, theirs] = rounds as [readonly Round[], readonly Round[]];
  const toReference = ratioOf(rates(ours), rates(theirs));
  const toPostfix = typeof postfix === 'string' ? undefined : ratioOf(rates(ours), postfix.perSecond);
  const [ourOpen, theirOpen] = open as [readonly LoadResult[], readonly LoadResult[]];
  const openP99Ratio = ratioOf(tails(ourOpen), tails(theirOpen));
  const text = [
    table(
      ['', 'messages/s', 'p50 ms', 'p99 ms', 'p99 ms at 300/s', 'CPU µs/message', 'in RSA signatures', 'catching up s'],
      [
        ...candidates.map(({ name }, place) =>
          summaryRow(name, rounds[place] as readonly Round[], open[place] as readonly LoadResult[]),
        ),
        ...(typeof postfix === 'string'
          ? []
          : [[`Postfix ${postfix.version}`, spread(spreadOf(postfix.perSecond)), '–', '–', '–', '–', '–', '–']]),
      ],
    ),
    `Postern / reference  ${spread(toReference, 2)}\n` +
      (toPostfix ? `Postern / Postfix    ${spread(toPostfix, 2)}\n` : `Postfix was not measured: ${postfix}\n`) +
      `RSA-2048 signature   ${spread(spreadOf(ours.map(({ signatureUs }) => signatureUs)))} µs CPU\n` +
      `p99 at 300/s, Postern / reference  ${spread(openP99Ratio, 2)}\n` +
      `${figure(figures.bytesPerMessage)} bytes per message at the sink; median (minimum–maximum) of ${ours.length} rounds`,
    ...candidates.map(({ name, pids }, place) => processTable(name, rounds[place] as readonly Round[], pids)),
  ].join('\n\n');
  return {
    text,
    figures: {
      candidates: candidates.map(({ name, pids }, place) => ({
        name,
        rounds: rounds[place],
        open_loop: open[place],
        peak_memory_mib: peaks(pids),
      })),
      postfix,
      bytes_per_message: figures.bytesPerMessage,
      ratios: { postern_to_reference: toReference, postern_to_postfix: toPostfix ?? null, open_p99: openP99Ratio },
    },
  };
};
