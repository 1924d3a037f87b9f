import type { NewSecret, Webhook } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Notice } from '../../components/notice.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { Section } from '../../components/page.js';

interface WebhookSecretProps {
  readonly webhook: Webhook;
  readonly path: string;
  readonly onChanged: (webhook: Webhook) => void;
  readonly onRotated: () => void;
}

/** Rotates the secret in two steps, because the receiver needs the new secret before requests are signed with it. */
export const WebhookSecret = ({ webhook, path, onChanged, onRotated }: WebhookSecretProps) => {
  const [next, setNext] = useState<string>();
  const rotate = async () => {
    setNext((await api.post<NewSecret>(`${path}/secret/rotate`)).secret);
    onRotated();
  };
  const activate = async () => onChanged(await api.post<Webhook>(`${path}/secret/switch`));
  return (
    <Section
      title="Signing secret"
      about={
        <>
          Each request has the headers <code>X-Service-Timestamp</code> and <code>X-Service-Signature</code>: the
          hex-encoded HMAC-SHA256 of the timestamp, a dot and the raw body, with this secret as the key. To rotate it,
          generate a new secret, add it to your server, then activate it. The current secret stays active until then.
        </>
      }
    >
      {next && (
        <OneTimeSecret
          title="Your new signing secret"
          secret={next}
          what="the new signing secret"
          onSaved={() => setNext(undefined)}
        />
      )}
      {webhook.next_secret_ready && <Notice kind="plain">A new secret is ready to activate.</Notice>}
      <div class="actions">
        {webhook.next_secret_ready ? (
          <>
            <ConfirmButton
              question="Activate the new secret?"
              consequence="Requests are signed with the new secret immediately. Make sure your server accepts it."
              confirm="Activate secret"
              class="primary"
              work={activate}
            >
              Activate new secret
            </ConfirmButton>
            <ConfirmButton
              question="Generate another secret?"
              consequence="The new secret that is ready to activate is replaced."
              confirm="Generate another secret"
              class="quiet"
              work={rotate}
            >
              Generate another secret
            </ConfirmButton>
          </>
        ) : (
          <ActionButton work={rotate}>Generate new secret</ActionButton>
        )}
      </div>
    </Section>
  );
};
