import type { Attempt, Delivery } from '@postern/contracts';
import { ActionButton } from '../../components/action-button.js';
import { Badge, Tag, type Tone } from '../../components/badge.js';
import { ScrollableText } from '../../components/scrolling.js';
import { Time } from '../../components/time.js';
import { asSentence, counted, formatCount, formatLabel } from '../../formatting.js';

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly onReplay: () => Promise<void>;
}

/** One delivery of an event; expanded, every attempt with the response of the endpoint. */
export const DeliveryRow = ({ delivery, onReplay }: DeliveryRowProps) => {
  const { payload, attempts } = delivery;
  const lastAttempt = attempts.at(-1);
  const refusal = delivery.refusal ? REFUSALS[delivery.refusal] : undefined;
  return (
    <details class="delivery">
      <summary>
        <Badge status={delivery.state} />
        {refusal && <Tag tone="warning">{refusal}</Tag>}
        <strong>{formatLabel(payload.event)}</strong>
        <span class="long">{payload.to}</span>
        <span class="hint">
          {payload.data['test'] === true && 'test · '}
          {delivery.replay_of && 'replay · '}
          {counted(attempts.length, 'attempt')} · {lastAttempt && `${responseOf(lastAttempt)} · `}
          <Time at={delivery.created_at} />
        </span>
      </summary>
      {delivery.reason && <p>{asSentence(delivery.reason)}</p>}
      {delivery.next_attempt_at && (
        <p>
          Next attempt: <Time at={delivery.next_attempt_at} />
        </p>
      )}
      <ol class="attempts">
        {attempts.map(attempt => (
          <li key={attempt.number}>
            <AttemptRow attempt={attempt} />
          </li>
        ))}
      </ol>
      <h3>Payload</h3>
      <ScrollableText>{JSON.stringify(payload, null, 2)}</ScrollableText>
      <ActionButton label={`Replay ${payload.event} for ${payload.to}`} work={onReplay}>
        Replay
      </ActionButton>
    </details>
  );
};

/** Refusals that say nothing against the event. */
const REFUSALS: Readonly<Record<NonNullable<Delivery['refusal']>, string | undefined>> = {
  rate_limited: 'Too many requests',
  timed_out: 'Request timeout',
  rejected: undefined,
};

const TONES: Readonly<Record<Attempt['outcome'], Tone>> = { accepted: 'good', refused: 'bad', retry: 'warning' };
const LABELS: Readonly<Record<Attempt['outcome'], string>> = {
  accepted: 'Accepted',
  refused: 'Refused',
  retry: 'Retrying',
};

const responseOf = ({ status }: Attempt): string => (status === null ? 'no response' : `HTTP ${status}`);

const AttemptRow = ({ attempt }: { readonly attempt: Attempt }) => (
  <>
    <p>
      <Tag tone={TONES[attempt.outcome]}>{LABELS[attempt.outcome]}</Tag> {responseOf(attempt)} after{' '}
      {formatCount(attempt.latency_ms)} ms · <Time at={attempt.at} />
    </p>
    {attempt.error && <p class="hint">{asSentence(attempt.error)}</p>}
    {attempt.response_head && <ScrollableText>{attempt.response_head}</ScrollableText>}
  </>
);
