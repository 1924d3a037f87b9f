import type { TestMail } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { ActionButton } from '../../components/action-button.js';
import { Notice } from '../../components/notice.js';
import { Section } from '../../components/page.js';
import { useSignedIn } from '../../session.js';

const RESULTS = {
  accepted: 'The mail server has taken the message. Look at your mailbox.',
  refused: 'The mail server refused the message.',
  not_sent: 'The message was not sent.',
  unknown: 'The mail server did not answer; it may have taken the message.',
} as const;

/** Shows at once whether mail leaves this installation. */
export const TestMailSection = () => {
  const { me } = useSignedIn();
  const [sent, setSent] = useState<TestMail>();
  return (
    <Section
      title="Test message"
      about={`Sends a message to ${me.email} through the mail server of this installation, and shows its response.`}
    >
      {sent && (
        <Notice kind={sent.result === 'accepted' ? 'good' : sent.result === 'unknown' ? 'warning' : 'bad'}>
          {RESULTS[sent.result]} Response: <code>{sent.response}</code>
        </Notice>
      )}
      <ActionButton
        work={async () => {
          setSent(undefined);
          setSent(await api.post<TestMail>('/system/test-mail', {}));
        }}
      >
        Send test message
      </ActionButton>
    </Section>
  );
};
