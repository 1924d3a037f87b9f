import type { EmailService } from '@postern/contracts';
import { Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { asSentence, formatCount, formatLabel } from '../../formatting.js';

/** The sending limits of a service, today's usage, and the history of its quota. */
export const QuotaSection = ({ service }: { readonly service: EmailService }) => (
  <Section title="Limits">
    <dl class="figures">
      <div>
        <dt>Mode</dt>
        <dd>{formatLabel(service.mode)}</dd>
      </div>
      <div>
        <dt>Sent today (UTC)</dt>
        <dd>
          {formatCount(service.sent_today)} <small>of {formatCount(service.daily_limit)}</small>
        </dd>
      </div>
      <div>
        <dt>Per minute</dt>
        <dd>{formatCount(service.per_minute_limit)}</dd>
      </div>
    </dl>
    <meter
      aria-label="Daily quota used"
      min={0}
      max={service.daily_limit}
      high={service.daily_limit * 0.9}
      optimum={0}
      value={service.sent_today}
    />
    <h3>Daily quota history</h3>
    {service.quota_history.length === 0 ? (
      <p class="hint">
        No changes yet. In production, your quota doubles after a day with at least 50% use and few bounces and
        complaints, and halves after a day with many.
      </p>
    ) : (
      <ol class="history">
        {service.quota_history.map(change => (
          <li key={change.at + change.to}>
            <Time at={change.at} />
            <span>
              <strong>
                {formatCount(change.from)} → {formatCount(change.to)}
              </strong>{' '}
              {asSentence(change.reason)}
            </span>
          </li>
        ))}
      </ol>
    )}
  </Section>
);
