import type { Deployment, Page as ListPage, MetricsHistory, WebService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Chart } from '../../components/chart.js';
import { DataTable } from '../../components/data-table.js';
import { Choice } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { axisEndOf, type Unit, withGaps } from '../../components/plot-scale.js';
import { Time } from '../../components/time.js';
import { formatBytes, formatCount, formatDecimal, formatTime } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { instanceLimits } from './instance-limits.js';
import { useWebService } from './web-service-layout.js';

const PERIODS = [
  ['3600', 'Last hour'],
  ['86400', 'Last day'],
  ['604800', 'Last week'],
] as const;
/** How often the instances are measured, which changes no resource. */
const SAMPLE_MS = 15_000;

/** Deployments that are marked in the charts. */
const MARKED = 20;
const WERE_LIVE: ReadonlySet<Deployment['status']> = new Set(['live', 'superseded', 'rolled_back']);

/** Requests, CPU, memory and number of instances over time. */
export const MetricsSection = () => {
  const { path, service } = useWebService();
  const [period, setPeriod] = useState('3600');
  const history = useLoading<MetricsHistory>(
    signal => api.get(`${path}/metrics/history`, { period }, signal),
    [path, period],
  );
  useLive(history, path.slice(1), SAMPLE_MS);
  const deployments = useLoading<ListPage<Deployment>>(
    signal => api.get(`${path}/deployments`, { limit: MARKED }, signal),
    [path],
  );
  useLive(deployments, path.slice(1));
  const liveTimes = (deployments.value?.items ?? []).flatMap(({ status, finished_at }) =>
    finished_at !== null && WERE_LIVE.has(status) ? [Date.parse(finished_at) / 1_000] : [],
  );
  return (
    <Section
      title="Usage"
      actions={<Choice label="Period" hideLabel value={period} options={PERIODS} onChoice={setPeriod} />}
    >
      <Loaded of={history}>
        {value =>
          value.points.length === 0 ? (
            <EmptyState>
              No instances ran in this period. Choose a longer one, or{' '}
              <Link to={`${path}/deployments`}>deploy the web service</Link>.
            </EmptyState>
          ) : (
            <Plots of={value} instance={service.instance} deployments={liveTimes} />
          )
        }
      </Loaded>
    </Section>
  );
};

interface PlotsProps {
  readonly of: MetricsHistory;
  readonly instance: WebService['instance'];
  /** Times at which deployments went live, in seconds. */
  readonly deployments: readonly number[];
}

const CPU = { format: (millicores: number) => `${formatCount(Math.round(millicores))} mCPU` };
const MEMORY = { format: formatBytes, binary: true };
const INSTANCES = { format: formatCount };
const RATE = { format: (perSecond: number) => `${formatDecimal(perSecond)}/s`, least: 0.01 };
const DURATION = { format: (ms: number) => `${formatDecimal(ms)} ms`, least: 0.1 };

interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly colour?: `--${string}`;
}

const Plots = ({ of: { period, step, points }, instance, deployments }: PlotsProps) => {
  const to = Date.now() / 1_000;
  const { cpuMillicores, memoryBytes } = instanceLimits(instance, points);
  const times = points.map(({ timestamp }) => Date.parse(timestamp) / 1_000);
  const isCounted = points.some(({ requests }) => requests);
  const plot = (title: string, unit: Unit, lines: readonly Line[], limitOfOne?: number) => {
    const last = points.at(-1);
    const peakOf = (values: Line['values']) => Math.max(0, ...values.map(value => value ?? 0));
    const limit = limitOfOne === undefined || !last ? undefined : limitOfOne * last.instances;
    const gaps = lines.map(({ values }) => withGaps(times, values, step * 2.5));
    const summaryOf = ({ label, values }: Line) =>
      [
        `${lines.length > 1 ? `${label} ` : ''}now ${unit.format(values.at(-1) ?? 0)}`,
        `peak ${unit.format(peakOf(values))}`,
      ].join(', ');
    return (
      <Chart
        title={title}
        summary={[...lines.map(summaryOf), ...(limit === undefined ? [] : [`limit ${unit.format(limit)}`])].join(', ')}
        times={gaps[0]?.[0] ?? []}
        series={lines.map(({ label, colour = '--accent' }, index) => ({
          label,
          values: gaps[index]?.[1] ?? [],
          colour,
        }))}
        unit={unit}
        end={axisEndOf(Math.max(...lines.map(({ values }) => peakOf(values))), unit)}
        from={to - period}
        to={to}
        markers={deployments}
        cursor="usage"
        timeOf={seconds => formatTime(new Date(seconds * 1_000).toISOString())}
      >
        <Samples title={title} times={times} lines={lines} unit={unit} />
      </Chart>
    );
  };
  return (
    <div class="charts">
      {isCounted &&
        plot('Requests', RATE, [
          { label: 'Answers', values: points.map(({ requests }) => requests?.per_second ?? null) },
          {
            label: 'Errors',
            values: points.map(({ requests }) => requests?.errors_per_second ?? null),
            colour: '--bad',
          },
        ])}
      {isCounted &&
        plot('Response time', DURATION, [
          { label: 'Average', values: points.map(({ requests }) => requests?.response_ms ?? null) },
        ])}
      {plot('CPU', CPU, [{ label: 'CPU', values: points.map(({ cpu }) => cpu.millicores) }], cpuMillicores)}
      {plot('Memory', MEMORY, [{ label: 'Memory', values: points.map(({ memory }) => memory.bytes) }], memoryBytes)}
      {plot('Instances', INSTANCES, [{ label: 'Instances', values: points.map(({ instances }) => instances) }])}
    </div>
  );
};

interface SamplesProps {
  readonly title: string;
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly unit: Unit;
}

const Samples = ({ title, times, lines, unit }: SamplesProps) => (
  <details>
    <summary>{title} as a table</summary>
    <DataTable
      caption={`${title}, newest first`}
      rows={times.map((time, index) => ({ time, values: lines.map(({ values }) => values[index] ?? 0) })).reverse()}
      keyOf={({ time }) => String(time)}
      columns={[
        { title: 'Time', cell: ({ time }) => <Time at={new Date(time * 1_000).toISOString()} exact /> },
        ...lines.map(({ label }, index) => ({
          title: label,
          numeric: true,
          cell: ({ values }: { readonly values: readonly number[] }) => unit.format(values[index] ?? 0),
        })),
      ]}
    />
  </details>
);
