import type { EmailRecord, TrackedEmail } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Form, type Values } from '../../components/form.js';
import { TextArea } from '../../components/form-controls.js';
import { Notice } from '../../components/notice.js';
import { CollapsibleSection } from '../../components/page.js';
import { useAction } from '../../loading.js';
import { Link } from '../../router.js';
import { addressesByRole } from './addresses-by-role.js';

interface SendAgainProps {
  readonly email: TrackedEmail;
  /** Path of the message in the API. */
  readonly path: string;
  /** Path of the email service in the dashboard. */
  readonly page: string;
}

/** Sends the content of the message as a new one. After a success the form is gone, so that a second click sends nothing. */
export const SendAgain = ({ email, path, page }: SendAgainProps) => {
  const [sent, setSent] = useState<EmailRecord>();
  const send = useAction(async ({ to = '', cc = '', bcc = '' }: Values) => {
    const recipients = { to: linesIn(to), cc: linesIn(cc), bcc: linesIn(bcc) };
    setSent(await api.post<EmailRecord>(`${path}/send-again`, recipients));
  });
  const byRole = new Map(addressesByRole(email.recipients));
  const linesOf = (role: 'to' | 'cc' | 'bcc') => byRole.get(role)?.join('\n') ?? '';
  return (
    <CollapsibleSection
      title="Send again"
      about="Sends the same content, with its files, headers and tags, as a new message. It counts toward the limits of this email service."
    >
      {sent ? (
        <Notice kind={sent.status === 'sent' ? 'good' : 'warning'}>
          {sent.message} <Link to={`${page}/messages/${sent.id}`}>Show the new message</Link>
        </Notice>
      ) : (
        <Form action={send} submit="Send as a new message" keepValues>
          <TextArea label="To" name="to" rows={2} required defaultValue={linesOf('to')} hint="One address per line." />
          <TextArea label="Cc" name="cc" rows={1} defaultValue={linesOf('cc')} />
          <TextArea label="Bcc" name="bcc" rows={1} defaultValue={linesOf('bcc')} />
        </Form>
      )}
    </CollapsibleSection>
  );
};

const linesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
