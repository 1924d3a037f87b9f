import type { ApiKey, Page as ListPage, TrackedEmail, Webhook } from '@postern/contracts';
import type { ComponentChildren } from 'preact';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Section } from '../../components/page.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { FirstKey } from './first-key.js';
import { useService } from './service-layout.js';

interface Progress {
  readonly keys: number;
  readonly messages: number;
  readonly newest: TrackedEmail | undefined;
  readonly webhooks: number;
}

/** The remaining steps until a new email service sends to any recipient and reports events; hidden when all are done. */
export const GettingStarted = () => {
  const { service, path, page } = useService();
  const progress = useLoading<Progress>(
    async signal => {
      const [keys, messages, webhooks] = await Promise.all([
        api.get<ApiKey[]>(`${path}/api-keys`, {}, signal),
        api.get<ListPage<TrackedEmail>>(`${path}/emails`, { limit: 1 }, signal),
        api.get<Webhook[]>(`${path}/webhooks`, {}, signal),
      ]);
      return { keys: keys.length, messages: messages.total, newest: messages.items[0], webhooks: webhooks.length };
    },
    [path],
  );
  const known = progress.value;
  const done = known && known.keys > 0 && known.messages > 0 && known.webhooks > 0 && service.mode === 'production';
  useLive(progress, path.slice(1));
  if (!known || done) return null;
  return (
    <Section title="Get started" about="From a key to the first delivered event.">
      <ol class="steps">
        <Step title="Create an API key and send a message" done={known.messages > 0}>
          <FirstKey
            path={path}
            hasKeys={known.keys > 0}
            sandbox={service.mode === 'sandbox'}
            onSent={progress.reload}
          />
        </Step>
        <Step title="Check its delivery" done={known.newest !== undefined}>
          {known.newest ? (
            <p>
              <Link to={`${page}/messages/${known.newest.id}`}>{known.newest.subject || '(no subject)'}</Link> was
              accepted.
            </p>
          ) : (
            <p class="hint">The first message appears here as soon as it is accepted.</p>
          )}
        </Step>
        <Step title="Receive events" done={known.webhooks > 0}>
          <p class="hint">
            <Link to={`${page}/webhooks`}>Create a webhook</Link> to receive an event when a message is delivered,
            bounces or is opened. The page has code that verifies signatures.
          </p>
        </Step>
        <Step title="Send from your own domain" done={service.mode === 'production'}>
          <p class="hint">
            <Link to={`${page}/domains`}>Verify a domain</Link> to send to anyone. Until then only verified recipients
            get mail.
          </p>
        </Step>
      </ol>
    </Section>
  );
};

interface StepProps {
  readonly title: string;
  readonly done: boolean;
  readonly children: ComponentChildren;
}

const Step = ({ title, done, children }: StepProps) => (
  <li class={done ? 'done' : undefined}>
    <h3>
      {title} {done && <span class="badge good">✓ Done</span>}
    </h3>
    {children}
  </li>
);
