import { api } from '../../api-client.js';
import type { VerifiedRecipient } from '../../api-shapes.js';
import { useAction, useLoading } from '../../loading.js';
import { ActionButton, ConfirmButton } from '../../parts/action-button.js';
import { Badge } from '../../parts/badge.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { useSignedIn } from '../../session.js';
import { useService } from './service-frame.js';

export const VerifiedRecipientsPage = () => {
  const { me } = useSignedIn();
  const path = `${useService().path}/recipients`;
  const recipients = useLoading<VerifiedRecipient[]>(signal => api.get(path, {}, signal), [path]);
  const add = useAction(async ({ address }: Values) => {
    await api.post<VerifiedRecipient>(path, { address });
    recipients.reload();
  });
  const addMyself = async () => {
    await api.post<VerifiedRecipient>(`${path}/me`);
    recipients.reload();
  };
  const remove = async (recipient: VerifiedRecipient) => {
    await api.delete(`${path}/${recipient.id}`);
    recipients.reload();
  };
  const knowsMe = recipients.value?.some(
    ({ address, status }) => status === 'verified' && address.toLowerCase() === me.email.toLowerCase(),
  );
  return (
    <Page title="Verified recipients">
      <p class="about">In sandbox mode a message reaches these addresses only.</p>
      <Loaded of={recipients}>
        {list =>
          list.length === 0 ? (
            <Empty>No recipient yet: in sandbox mode nothing can be sent to anybody.</Empty>
          ) : (
            <DataTable
              caption="Verified recipients and those that await their code"
              rows={list}
              keyOf={recipient => recipient.id}
              columns={[
                { title: 'Address', cell: recipient => <strong>{recipient.address}</strong> },
                {
                  title: 'Status',
                  cell: recipient =>
                    recipient.status === 'verified' ? (
                      <Badge status="verified" />
                    ) : (
                      <EnterCode
                        recipient={recipient}
                        path={`${path}/${recipient.id}`}
                        onVerified={recipients.reload}
                      />
                    ),
                },
                { title: 'Added', cell: recipient => <Time at={recipient.created_at} /> },
                {
                  title: 'What to do',
                  buttons: true,
                  cell: recipient => (
                    <ConfirmButton
                      label={`Delete ${recipient.address}`}
                      question={`Delete ${recipient.address}?`}
                      consequence="In sandbox mode it receives nothing from this moment on."
                      confirm="Delete the recipient"
                      work={() => remove(recipient)}
                    >
                      Delete
                    </ConfirmButton>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Section
        title="New recipient"
        about="We send a code of 6 digits to the address, valid for 24 hours. Adding an address again sends a new code."
        actions={
          knowsMe === false && <ActionButton work={addMyself}>{`Add my own address (${me.email})`}</ActionButton>
        }
      >
        <Form action={add} submit="Send a code" class="line">
          <Field label="Address" name="address" type="email" required maxLength={320} autocomplete="off" />
        </Form>
      </Section>
    </Page>
  );
};

interface EnterCodeProps {
  readonly recipient: VerifiedRecipient;
  readonly path: string;
  readonly onVerified: () => void;
}

const EnterCode = ({ recipient, path, onVerified }: EnterCodeProps) => {
  const verify = useAction(async ({ code = '' }: Values) => {
    await api.post<VerifiedRecipient>(`${path}/verify`, { code: code.trim() });
    onVerified();
  });
  return (
    <>
      <Badge status="awaiting_code" />
      <small class="hint">
        {' '}
        until <Time at={recipient.code_expires_at} />
      </small>
      <Form action={verify} submit="Verify" class="line small">
        <Field
          label={`Code for ${recipient.address}`}
          name="code"
          required
          inputMode="numeric"
          pattern="\s*[0-9]{6}\s*"
          title="6 digits"
          placeholder="123456"
          size={8}
          autocomplete="one-time-code"
        />
      </Form>
    </>
  );
};
