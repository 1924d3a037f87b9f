import { api } from '../../api-client.js';
import type { EmailStats } from '../../api-shapes.js';
import { formatCount, formatRate, formatWords, lastDays } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { Loaded } from '../../parts/loaded.js';
import { Notice } from '../../parts/notice.js';
import { Page, Section } from '../../parts/page.js';
import { StatsChart } from '../../parts/stats-chart.js';
import { Link } from '../../router.js';
import { QuotaSection } from './quota-section.js';
import { useService } from './service-frame.js';

const DAYS = 30;

export const OverviewPage = () => {
  const { service, path, page } = useService();
  const stats = useLoading<EmailStats>(signal => api.get(`${path}/stats`, lastDays(DAYS, new Date()), signal), [path]);
  return (
    <Page title="Overview">
      {!service.enabled && (
        <Notice kind="warning">
          This service is disabled: every request to send is refused.{' '}
          <Link to={`${page}/settings`}>To the settings</Link>
        </Notice>
      )}
      {service.mode === 'sandbox' && (
        <Notice kind="plain">
          Sandbox: mail reaches <Link to={`${page}/recipients`}>verified recipients</Link> only.{' '}
          <Link to={`${page}/domains`}>Verify a domain</Link> to send to everybody.
        </Notice>
      )}
      <QuotaSection service={service} />
      <Section
        title={`The last ${DAYS} days`}
        about="Recipients by the UTC day on which their message was accepted. Messages to nobody but the simulator are left out."
      >
        <Loaded of={stats}>{value => <Stats of={value} />}</Loaded>
      </Section>
    </Page>
  );
};

const Stats = ({ of: { rates, total, days } }: { readonly of: EmailStats }) => {
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
            <dt>{formatWords(name)}</dt>
            <dd>
              {formatRate(rate)} <small>{formatCount(count)}</small>
            </dd>
          </div>
        ))}
      </dl>
      {total.accepted + retryRequested === 0 ? (
        <p class="empty">No message has been sent on these days.</p>
      ) : (
        <StatsChart days={days} />
      )}
      <p class="hint">
        {formatCount(total.accepted)} recipients accepted: {formatCount(total.sent)} sent to the relay,{' '}
        {formatCount(total.failed)} failed, {formatCount(unknown)} unknown (in progress, or interrupted).{' '}
        {retryRequested > 0 &&
          `For ${formatCount(retryRequested)} more nothing was sent and the client was asked to try again; they are not counted as accepted. `}
        Bounces: {formatCount(total.bounced_hard)} hard, {formatCount(total.bounced_soft)} soft. Opens and clicks by
        machines are left out ({formatCount(total.machine_opens)} and {formatCount(total.machine_clicks)}).
      </p>
    </>
  );
};
