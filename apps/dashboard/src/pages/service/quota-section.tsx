import type { EmailService } from '../../api-shapes.js';
import { asSentence, formatCount, formatWords } from '../../formatting.js';
import { Section } from '../../parts/page.js';
import { Time } from '../../parts/time.js';

/** What the service may send, how much of it is used today, and why the quota is what it is. */
export const QuotaSection = ({ service }: { readonly service: EmailService }) => (
  <Section title="Limits">
    <dl class="figures">
      <div>
        <dt>Mode</dt>
        <dd>{formatWords(service.mode)}</dd>
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
      aria-label="Share of today's quota that is used"
      min={0}
      max={service.daily_limit}
      high={service.daily_limit * 0.9}
      optimum={0}
      value={service.sent_today}
    />
    <h3>Changes of the daily quota</h3>
    {service.quota_history.length === 0 ? (
      <p class="hint">
        None yet. In production the quota doubles after a day with at least half of it used and few bounces and
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
