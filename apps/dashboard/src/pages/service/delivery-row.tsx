import type { Attempt, Delivery } from '../../api-shapes.js';
import { asSentence, counted, formatCount, formatWords } from '../../formatting.js';
import { ActionButton } from '../../parts/action-button.js';
import { Badge, Mark, type Standing } from '../../parts/badge.js';
import { Time } from '../../parts/time.js';

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly onReplay: () => Promise<void>;
}

/** One event on its way to the endpoint; unfolded, every attempt with the answer that it got. */
export const DeliveryRow = ({ delivery, onReplay }: DeliveryRowProps) => {
  const { payload, attempts } = delivery;
  return (
    <details class="delivery">
      <summary>
        <Badge status={delivery.state} />
        <strong>{formatWords(payload.event)}</strong>
        <span class="long">{payload.to}</span>
        <span class="hint">
          {payload.data['test'] === true && 'test · '}
          {delivery.replay_of && 'replay · '}
          {counted(attempts.length, 'attempt')} · <Time at={delivery.created_at} />
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
      <pre>{JSON.stringify(payload, null, 2)}</pre>
      <ActionButton label={`Replay ${payload.event} for ${payload.to}`} work={onReplay}>
        Replay
      </ActionButton>
    </details>
  );
};

const STANDING: Readonly<Record<Attempt['outcome'], Standing>> = { accepted: 'good', refused: 'bad', retry: 'warning' };
const WORDS: Readonly<Record<Attempt['outcome'], string>> = {
  accepted: 'Accepted',
  refused: 'Refused',
  retry: 'Will be tried again',
};

const AttemptRow = ({ attempt }: { readonly attempt: Attempt }) => (
  <>
    <p>
      <Mark standing={STANDING[attempt.outcome]}>{WORDS[attempt.outcome]}</Mark>{' '}
      {attempt.status === null ? 'no answer' : `HTTP ${attempt.status}`} after {formatCount(attempt.latency_ms)} ms ·{' '}
      <Time at={attempt.at} />
    </p>
    {attempt.error && <p class="hint">{asSentence(attempt.error)}</p>}
    {attempt.response_head && <pre>{attempt.response_head}</pre>}
  </>
);
