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
import { formatBytes, formatCount, formatTime } from '../../formatting.js';
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

/** CPU, memory and number of instances over time. */
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

const Plots = ({ of: { period, step, points }, instance, deployments }: PlotsProps) => {
  const to = Date.now() / 1_000;
  const { cpuMillicores, memoryBytes } = instanceLimits(instance, points);
  const times = points.map(({ timestamp }) => Date.parse(timestamp) / 1_000);
  const plot = (
    title: string,
    unit: Unit,
    value: (point: MetricsHistory['points'][number]) => number,
    limitOfOne?: number,
  ) => {
    const values = points.map(value);
    const last = points.at(-1);
    const peak = Math.max(0, ...values);
    const limit = limitOfOne === undefined || !last ? undefined : limitOfOne * last.instances;
    const [shownTimes, shown] = withGaps(times, values, step * 2.5);
    const summary = [
      `now ${unit.format(values.at(-1) ?? 0)}`,
      `peak ${unit.format(peak)}`,
      ...(limit === undefined ? [] : [`limit ${unit.format(limit)}`]),
    ].join(', ');
    return (
      <Chart
        title={title}
        summary={summary}
        times={shownTimes}
        series={[{ label: title, values: shown, colour: '--accent' }]}
        unit={unit}
        end={axisEndOf(peak, unit)}
        from={to - period}
        to={to}
        markers={deployments}
        cursor="usage"
        timeOf={seconds => formatTime(new Date(seconds * 1_000).toISOString())}
      >
        <Samples title={title} times={times} values={values} unit={unit} />
      </Chart>
    );
  };
  return (
    <div class="charts">
      {plot('CPU', CPU, ({ cpu }) => cpu.millicores, cpuMillicores)}
      {plot('Memory', MEMORY, ({ memory }) => memory.bytes, memoryBytes)}
      {plot('Instances', INSTANCES, ({ instances }) => instances)}
    </div>
  );
};

interface SamplesProps {
  readonly title: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly unit: Unit;
}

const Samples = ({ title, times, values, unit }: SamplesProps) => (
  <details>
    <summary>{title} as a table</summary>
    <DataTable
      caption={`${title}, newest first`}
      rows={times.map((time, index) => ({ time, value: values[index] ?? 0 })).reverse()}
      keyOf={({ time }) => String(time)}
      columns={[
        { title: 'Time', cell: ({ time }) => <Time at={new Date(time * 1_000).toISOString()} exact /> },
        { title, numeric: true, cell: ({ value }) => unit.format(value) },
      ]}
    />
  </details>
);
