import type { Delivery, Page as ListPage } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { DeliveryRow } from './delivery-row.js';
import { useService } from './service-layout.js';

type EmailDelivery = Delivery & { readonly webhook_id: string };

const SHOWN = 100;

/** The webhook deliveries of the events of one message. */
export const MessageDeliveries = ({ path }: { readonly path: string }) => {
  const { path: service, page } = useService();
  const deliveries = useLoading<ListPage<EmailDelivery>>(
    signal => api.get(`${path}/webhook-deliveries`, { limit: SHOWN }, signal),
    [path],
  );
  useLive(deliveries, service.slice(1));
  const replay = async ({ id, webhook_id }: EmailDelivery) => {
    await api.post<Delivery>(`${service}/webhooks/${webhook_id}/deliveries/${id}/replay`);
    deliveries.reload();
  };
  return (
    <Section title="Webhook deliveries">
      <Loaded of={deliveries}>
        {({ items, total }) =>
          items.length === 0 ? (
            <EmptyState>
              No event of this message was sent to a webhook. <Link to={`${page}/webhooks`}>See webhooks</Link>
            </EmptyState>
          ) : (
            <>
              <ul class="deliveries">
                {items.map(delivery => (
                  <li key={delivery.id}>
                    <DeliveryRow delivery={delivery} onReplay={() => replay(delivery)} />
                  </li>
                ))}
              </ul>
              {total > SHOWN && <p class="hint">Only the newest {SHOWN} are shown.</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  );
};
