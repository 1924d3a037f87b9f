import type { VerifiedRecipient } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api, toApiError } from '../../api-client.js';
import { ActionButton } from '../../components/action-button.js';
import { Notice } from '../../components/notice.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { useSignedIn } from '../../session.js';
import { SendSnippet } from './snippets.js';

const PLACEHOLDER = 'em_live_…';

interface FirstKeyProps {
  /** Path of the email service in the API. */
  readonly path: string;
  readonly hasKeys: boolean;
  readonly sandbox: boolean;
  readonly onSent: () => void;
}

/** Creates a key, and shows how to use it; while the key is shown, the browser can send a test message. */
export const FirstKey = ({ path, hasKeys, sandbox, onSent }: FirstKeyProps) => {
  const { me } = useSignedIn();
  const [key, setKey] = useState<string>();
  const [saved, setSaved] = useState(false);
  const [sent, setSent] = useState(false);
  const create = async () => {
    setKey((await api.post<{ readonly key: string }>(`${path}/api-keys`, { name: 'First key' })).key);
  };
  const send = async () => {
    if (sandbox) await api.post<VerifiedRecipient>(`${path}/recipients/me`);
    await sendTest(key ?? '', me.email);
    setSent(true);
    onSent();
  };
  const example = { origin: location.origin, key: key ?? PLACEHOLDER, from: me.email, to: me.email };
  return (
    <div class="loaded">
      {key === undefined ? (
        <div class="actions">
          <ActionButton class="primary" work={create}>
            {hasKeys ? 'Create another key' : 'Create API key'}
          </ActionButton>
        </div>
      ) : (
        <>
          {!saved && (
            <OneTimeSecret title="Your API key" secret={key} what="the API key" onSaved={() => setSaved(true)} />
          )}
          <div class="actions">
            <ActionButton class="primary" work={send}>
              Send a test message to {me.email}
            </ActionButton>
          </div>
          {sent && <Notice kind="good">Sent. The message is on its way to {me.email}.</Notice>}
        </>
      )}
      <SendSnippet example={example} />
    </div>
  );
};

/** Sends a test message through the email API, like any client. */
const sendTest = async (key: string, address: string): Promise<void> => {
  const response = await fetch('/emails', {
    method: 'POST',
    headers: { 'Api-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ from: address, to: [address], subject: 'Hello from Postern', text: 'It works.' }),
  });
  if (!response.ok) throw await toApiError(response);
};
