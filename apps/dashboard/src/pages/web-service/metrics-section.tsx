import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { MetricsHistory } from '../../api-shapes.js';
import { formatBytes, formatCount } from '../../formatting.js';
import { useLoading, useRepeated } from '../../loading.js';
import { Choice } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Section } from '../../parts/page.js';
import { Sparkline } from '../../parts/sparkline.js';
import { useWebService } from './web-service-frame.js';

const PERIODS = [
  ['3600', 'The last hour'],
  ['86400', 'The last day'],
  ['604800', 'The last week'],
] as const;
const POLL_MS = 15_000;

/** How CPU, memory and the number of instances went. */
export const MetricsSection = () => {
  const { path } = useWebService();
  const [period, setPeriod] = useState('3600');
  const history = useLoading<MetricsHistory>(
    signal => api.get(`${path}/metrics/history`, { period }, signal),
    [path, period],
  );
  useRepeated(history, POLL_MS);
  return (
    <Section
      title="What it uses"
      actions={<Choice label="Period" hidesLabel value={period} options={PERIODS} onChoice={setPeriod} />}
    >
      <Loaded of={history}>
        {value =>
          value.points.length === 0 ? <Empty>Nothing has run in this time.</Empty> : <Sparklines of={value} />
        }
      </Loaded>
    </Section>
  );
};

const Sparklines = ({ of: { period, step, points } }: { readonly of: MetricsHistory }) => {
  const to = Date.now();
  const frame = { window: { from: to - period * 1000, to }, gap: step * 2_500 };
  const samplesOf = (value: (point: MetricsHistory['points'][number]) => number) =>
    points.map(point => ({ at: Date.parse(point.timestamp), value: value(point) }));
  return (
    <div class="sparklines">
      <Sparkline
        {...frame}
        title="CPU"
        samples={samplesOf(({ cpu }) => cpu.millicores)}
        format={millicores => `${formatCount(Math.round(millicores))} m`}
      />
      <Sparkline {...frame} title="Memory" samples={samplesOf(({ memory }) => memory.bytes)} format={formatBytes} />
      <Sparkline {...frame} title="Instances" samples={samplesOf(({ instances }) => instances)} format={formatCount} />
    </div>
  );
};
