import type { Delivery, Page, Replayed } from '@postern/contracts';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton } from '../../components/action-button.js';
import { Choice, Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Section } from '../../components/page.js';
import { Paging } from '../../components/paging.js';
import { counted, formatLabel } from '../../formatting.js';
import { useListState } from '../../list-state.js';
import { useAction, useLoading } from '../../loading.js';
import { DeliveryRow } from './delivery-row.js';
import { useService } from './service-layout.js';

const STATES: readonly Delivery['state'][] = ['pending', 'accepted', 'refused', 'dropped', 'held'];
interface DeliveriesSectionProps {
  /** Path of the webhook in the API. */
  readonly path: string;
  /** Id of a test delivery that the page has just started; a new one reloads the list. */
  readonly newest: string;
}

export const DeliveriesSection = ({ path, newest }: DeliveriesSectionProps) => {
  const { offset, limit, filter, setOffset, setLimit, setFilter } = useListState(['state']);
  const { state = '' } = filter;
  const deliveries = useLoading<Page<Delivery>>(
    signal => api.get(`${path}/deliveries`, { state, offset, limit }, signal),
    [path, state, offset, limit],
  );
  useLive(deliveries, useService().path.slice(1));
  // Only a new delivery reloads the list.
  useEffect(() => {
    if (newest) deliveries.reload();
  }, [newest]);
  const replay = async (delivery: Delivery) => {
    await api.post<Delivery>(`${path}/deliveries/${delivery.id}/replay`);
    setOffset(0);
    deliveries.reload();
  };
  return (
    <Section
      title="Deliveries"
      actions={
        <Choice
          label="Status"
          hideLabel
          value={state}
          options={[['', 'All statuses'], ...STATES.map(option => [option, formatLabel(option)] as const)]}
          onChoice={choice => setFilter({ state: choice })}
        />
      }
    >
      <Loaded of={deliveries}>
        {page => (
          <>
            {page.items.length === 0 && (
              <EmptyState>
                {state ? 'No deliveries with this status.' : 'No deliveries yet. Send a test event above to see one.'}
              </EmptyState>
            )}
            <ul class="deliveries">
              {page.items.map(delivery => (
                <li key={delivery.id}>
                  <DeliveryRow delivery={delivery} onReplay={() => replay(delivery)} />
                </li>
              ))}
            </ul>
            <Paging page={page} onOffset={setOffset} onLimit={setLimit} />
          </>
        )}
      </Loaded>
      {deliveries.value?.items.some(isRefusedForNow) && <ReplayRefused path={path} onReplayed={deliveries.reload} />}
      <ReplaySince path={path} onReplayed={deliveries.reload} />
    </Section>
  );
};

/** The first attempt follows within seconds; retries can take hours and are not worth polling for. */
/** The endpoint asked for fewer requests or ran out of time; it may accept the event now. */
const isRefusedForNow = ({ refusal }: Delivery): boolean => refusal === 'rate_limited' || refusal === 'timed_out';

interface ReplaySinceProps {
  readonly path: string;
  readonly onReplayed: () => void;
}

const DAY_MS = 24 * 3_600_000;

/** One click after the endpoint has room again. */
const ReplayRefused = ({ path, onReplayed }: ReplaySinceProps) => {
  const [replayed, setReplayed] = useState<number>();
  const replay = async () => {
    const since = new Date(Date.now() - DAY_MS).toISOString();
    setReplayed((await api.post<Replayed>(`${path}/replay`, { since, state: 'refused' })).replayed);
    onReplayed();
  };
  return (
    <Notice kind="warning">
      Your application refused events with 429 or 408. Postern does not retry refused events.{' '}
      <ActionButton label="Replay all events that were refused in the last 24 hours" work={replay}>
        Replay all refused events
      </ActionButton>
      {replayed !== undefined && ` ${counted(replayed, 'event')} will be sent again.`}
    </Notice>
  );
};

const ReplaySince = ({ path, onReplayed }: ReplaySinceProps) => {
  const [replayed, setReplayed] = useState<number>();
  const replay = useAction(async ({ since = '' }: Values) => {
    setReplayed(undefined);
    setReplayed((await api.post<Replayed>(`${path}/replay`, { since: new Date(since).toISOString() })).replayed);
    onReplayed();
  });
  return (
    <details>
      <summary>Replay all events since a time</summary>
      <Form action={replay} submit="Replay" class="line" keepValues>
        <Field label="Since (your time zone)" name="since" type="datetime-local" required />
      </Form>
      {replayed !== undefined && <Notice kind="good">{`${counted(replayed, 'event')} will be sent again.`}</Notice>}
    </details>
  );
};
