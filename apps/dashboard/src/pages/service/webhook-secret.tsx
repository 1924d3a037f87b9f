import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { NewSecret, Webhook } from '../../api-shapes.js';
import { ActionButton, ConfirmButton } from '../../parts/action-button.js';
import { Notice } from '../../parts/notice.js';
import { Section } from '../../parts/page.js';
import { SecretOnce } from '../../parts/secret-once.js';

interface WebhookSecretProps {
  readonly webhook: Webhook;
  readonly path: string;
  readonly onChanged: (webhook: Webhook) => void;
  readonly onRotated: () => void;
}

/** Rotation in two steps, because a receiver has to know the next secret before anything is signed with it. */
export const WebhookSecret = ({ webhook, path, onChanged, onRotated }: WebhookSecretProps) => {
  const [next, setNext] = useState<string>();
  const rotate = async () => {
    setNext((await api.post<NewSecret>(`${path}/secret/rotate`)).secret);
    onRotated();
  };
  const switchOver = async () => onChanged(await api.post<Webhook>(`${path}/secret/switch`));
  return (
    <Section
      title="Signing secret"
      about="Make the next secret, teach it to the receiver, then switch. The present one signs until you do."
    >
      {next && (
        <SecretOnce
          title="The next signing secret"
          secret={next}
          what="the next signing secret"
          onStored={() => setNext(undefined)}
        />
      )}
      {webhook.next_secret_ready && <Notice kind="plain">A next secret waits to be switched to.</Notice>}
      <div class="actions">
        {webhook.next_secret_ready ? (
          <>
            <ConfirmButton
              question="Sign with the next secret from now on?"
              consequence="The present secret stops working at once. The receiver has to know the next one."
              confirm="Switch to the next secret"
              class="primary"
              work={switchOver}
            >
              Switch to the next secret
            </ConfirmButton>
            <ConfirmButton
              question="Make another next secret?"
              consequence="The one that waits now is replaced and will never be used."
              confirm="Make another one"
              class="quiet"
              work={rotate}
            >
              Make another one
            </ConfirmButton>
          </>
        ) : (
          <ActionButton work={rotate}>Make the next secret</ActionButton>
        )}
      </div>
    </Section>
  );
};
