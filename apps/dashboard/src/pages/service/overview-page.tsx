import type { EmailStats } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Page, Section } from '../../components/page.js';
import { StatsChart } from '../../components/stats-chart.js';
import { ToggleGroup } from '../../components/toggle-group.js';
import { counted, formatCount, formatLabel, formatRate, lastDays } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { GettingStarted } from './getting-started.js';
import { QuotaSection } from './quota-section.js';
import { useService } from './service-layout.js';

const DAYS = 30;
export const OverviewPage = () => {
  const { service, path, page } = useService();
  const { filter, setFilter } = useListState(['simulator']);
  const simulator = filter['simulator'] === 'include' ? 'include' : 'exclude';
  const stats = useLoading<EmailStats>(
    signal => api.get(`${path}/stats`, { ...lastDays(DAYS, new Date()), simulator }, signal),
    [path, simulator],
  );
  useLive(stats, path.slice(1));
  return (
    <Page title="Overview">
      {!service.enabled && (
        <Notice kind="warning">
          This service is disabled and rejects every send request. Enable it in{' '}
          <Link to={`${page}/settings`}>Settings</Link>.
        </Notice>
      )}
      {service.mode === 'sandbox' && (
        <Notice kind="plain">
          Sandbox mode only delivers to <Link to={`${page}/recipients`}>verified recipients</Link>.{' '}
          <Link to={`${page}/domains`}>Verify a domain</Link> to send to anyone.
        </Notice>
      )}
      <GettingStarted />
      <QuotaSection service={service} />
      <Section title={`Last ${DAYS} days`} about="Recipients per day (UTC).">
        <ToggleGroup
          label="Messages in the statistics"
          options={[
            ['exclude', 'Without test messages'],
            ['include', 'With test messages'],
          ]}
          value={simulator}
          onChoice={choice => setFilter({ simulator: choice === 'include' ? choice : '' })}
        />
        <p class="hint">Test messages are those sent only to the simulator’s addresses.</p>
        <Loaded of={stats}>{value => <Stats of={value} page={page} />}</Loaded>
      </Section>
    </Page>
  );
};

interface StatsProps {
  readonly of: EmailStats;
  readonly page: string;
}

const Stats = ({ of: { rates, total, days }, page }: StatsProps) => {
  const { unknown = 0, retry_requested: retryRequested = 0 } = total;
  const figures = {
    delivered: [rates.delivered, total.delivered],
    bounced: [rates.bounced, total.bounced_hard + total.bounced_soft],
    complained: [rates.complained, total.complained],
    opened: [rates.opened, total.opened],
    clicked: [rates.clicked, total.clicked],
  } as const;
  return (
    <>
      <dl class="figures">
        {Object.entries(figures).map(([name, [rate, count]]) => (
          <div key={name}>
            <dt>{formatLabel(name)}</dt>
            <dd>
              {formatRate(rate)} <small>({formatCount(count)})</small>
            </dd>
          </div>
        ))}
      </dl>
      {total.accepted + retryRequested === 0 ? (
        <EmptyState>
          No messages in this period. <Link to={`${page}/api-keys`}>Create an API key</Link> to send one.
        </EmptyState>
      ) : (
        <StatsChart days={days} />
      )}
      <p class="hint">
        {[
          `${counted(total.accepted, 'recipient')} accepted, ${formatCount(total.sent)} sent to relay.`,
          total.failed > 0 && `${formatCount(total.failed)} failed.`,
          unknown > 0 && `${formatCount(unknown)} in progress or interrupted.`,
          retryRequested > 0 && `${counted(retryRequested, 'more recipient')} not sent: the client was asked to retry.`,
          total.bounced_hard + total.bounced_soft > 0 &&
            `Bounces: ${formatCount(total.bounced_hard)} hard, ${formatCount(total.bounced_soft)} soft.`,
          total.machine_opens + total.machine_clicks > 0 &&
            `Without ${counted(total.machine_opens, 'open')} and ${counted(total.machine_clicks, 'click')} of bots.`,
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
    </>
  );
};
