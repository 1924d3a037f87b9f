import type { MetricsHistory, WebService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Choice } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { Sparkline } from '../../components/sparkline.js';
import { formatBytes, formatCount } from '../../formatting.js';
import { useLoading, usePolling } from '../../loading.js';
import { Link } from '../../router.js';
import { instanceLimits } from './instance-limits.js';
import { useWebService } from './web-service-layout.js';

const PERIODS = [
  ['3600', 'Last hour'],
  ['86400', 'Last day'],
  ['604800', 'Last week'],
] as const;
const POLL_MS = 15_000;

/** CPU, memory and number of instances over time. */
export const MetricsSection = () => {
  const { path, service } = useWebService();
  const [period, setPeriod] = useState('3600');
  const history = useLoading<MetricsHistory>(
    signal => api.get(`${path}/metrics/history`, { period }, signal),
    [path, period],
  );
  usePolling(history, POLL_MS);
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
            <Sparklines of={value} instance={service.instance} />
          )
        }
      </Loaded>
    </Section>
  );
};

interface SparklinesProps {
  readonly of: MetricsHistory;
  readonly instance: WebService['instance'];
}

const Sparklines = ({ of: { period, step, points }, instance }: SparklinesProps) => {
  const to = Date.now();
  const range = { window: { from: to - period * 1000, to }, gap: step * 2_500 };
  const samplesOf = (value: (point: MetricsHistory['points'][number]) => number) =>
    points.map(point => ({ at: Date.parse(point.timestamp), value: value(point) }));
  const { cpuMillicores, memoryBytes } = instanceLimits(instance, points);
  const ofAll = (limit: number) => samplesOf(({ instances }) => limit * instances);
  return (
    <div class="sparklines">
      <Sparkline
        {...range}
        title="CPU"
        samples={samplesOf(({ cpu }) => cpu.millicores)}
        limits={ofAll(cpuMillicores)}
        format={millicores => `${formatCount(Math.round(millicores))} mCPU`}
      />
      <Sparkline
        {...range}
        title="Memory"
        samples={samplesOf(({ memory }) => memory.bytes)}
        limits={ofAll(memoryBytes)}
        format={formatBytes}
      />
      <Sparkline {...range} title="Instances" samples={samplesOf(({ instances }) => instances)} format={formatCount} />
    </div>
  );
};
