import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { Delivery, Page, Replayed } from '../../api-shapes.js';
import { counted, formatWords } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { Choice, Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Notice } from '../../parts/notice.js';
import { Empty, Section } from '../../parts/page.js';
import { Paging } from '../../parts/paging.js';
import { DeliveryRow } from './delivery-row.js';

const STATES: readonly Delivery['state'][] = ['pending', 'accepted', 'refused', 'dropped', 'held'];
const PAGE_SIZE = 20;

interface DeliveriesSectionProps {
  /** Path of the webhook in the API. */
  readonly path: string;
  /** Id of a delivery that was started elsewhere on the page; a new one makes the list look again. */
  readonly newest: string;
}

export const DeliveriesSection = ({ path, newest }: DeliveriesSectionProps) => {
  const [state, setState] = useState('');
  const [offset, setOffset] = useState(0);
  const deliveries = useLoading<Page<Delivery>>(
    signal => api.get(`${path}/deliveries`, { state, offset, limit: PAGE_SIZE }, signal),
    [path, state, offset],
  );
  // Only a new delivery is a reason to look again.
  useEffect(() => {
    if (newest) deliveries.reload();
  }, [newest]);
  const choose = (choice: string) => {
    setState(choice);
    setOffset(0);
  };
  const replay = async (delivery: Delivery) => {
    await api.post<Delivery>(`${path}/deliveries/${delivery.id}/replay`);
    setOffset(0);
    deliveries.reload();
  };
  return (
    <Section
      title="Deliveries"
      actions={
        <>
          <Choice
            label="State"
            hidesLabel
            value={state}
            options={[['', 'All states'], ...STATES.map(option => [option, formatWords(option)] as const)]}
            onChoice={choose}
          />
          <button type="button" disabled={deliveries.busy} onClick={deliveries.reload}>
            Refresh
          </button>
        </>
      }
    >
      <Loaded of={deliveries}>
        {page => (
          <>
            {page.items.length === 0 && (
              <Empty>{state ? 'No delivery in this state.' : 'No event has been delivered yet.'}</Empty>
            )}
            <ul class="deliveries">
              {page.items.map(delivery => (
                <li key={delivery.id}>
                  <DeliveryRow delivery={delivery} onReplay={() => replay(delivery)} />
                </li>
              ))}
            </ul>
            <Paging page={page} onOffset={setOffset} />
          </>
        )}
      </Loaded>
      <ReplaySince path={path} onReplayed={deliveries.reload} />
    </Section>
  );
};

interface ReplaySinceProps {
  readonly path: string;
  readonly onReplayed: () => void;
}

const ReplaySince = ({ path, onReplayed }: ReplaySinceProps) => {
  const [replayed, setReplayed] = useState<number>();
  const replay = useAction(async ({ since = '' }: Values) => {
    setReplayed(undefined);
    setReplayed((await api.post<Replayed>(`${path}/replay`, { since: new Date(since).toISOString() })).replayed);
    onReplayed();
  });
  return (
    <details>
      <summary>Replay everything since a time</summary>
      <Form action={replay} submit="Replay" class="line" keeps>
        <Field label="Since (your time zone)" name="since" type="datetime-local" required />
      </Form>
      {replayed !== undefined && <Notice kind="good">{`${counted(replayed, 'event')} will be sent again.`}</Notice>}
    </details>
  );
};
