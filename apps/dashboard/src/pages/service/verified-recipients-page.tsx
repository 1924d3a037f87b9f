import type { VerifiedRecipient } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useAction, useLoading } from '../../loading.js';
import { useSignedIn } from '../../session.js';
import { useService } from './service-layout.js';

export const VerifiedRecipientsPage = () => {
  const { me } = useSignedIn();
  const path = `${useService().path}/recipients`;
  const recipients = useLoading<VerifiedRecipient[]>(signal => api.get(path, {}, signal), [path]);
  const add = useAction(async ({ address }: Values) => {
    await api.post<VerifiedRecipient>(path, { address });
    recipients.reload();
  });
  const addOwnAddress = async () => {
    await api.post<VerifiedRecipient>(`${path}/me`);
    recipients.reload();
  };
  const hasOwnAddress = recipients.value?.some(
    ({ address, status }) => status === 'verified' && address.toLowerCase() === me.email.toLowerCase(),
  );
  return (
    <Page title="Verified recipients">
      <p class="about">Sandbox mode only delivers to these addresses.</p>
      <Loaded of={recipients}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No verified recipients yet. Add one below to send in sandbox mode.</EmptyState>
          ) : (
            <RecipientsTable recipients={list} path={path} onChange={recipients.reload} />
          )
        }
      </Loaded>
      <Section
        title="New recipient"
        about="Postern emails a 6-digit code to the address, valid for 24 hours. Add the address again to get a new code."
        actions={
          hasOwnAddress === false && (
            <ActionButton work={addOwnAddress}>{`Add my own address (${me.email})`}</ActionButton>
          )
        }
      >
        <Form action={add} submit="Send code" class="line">
          <Field label="Email address" name="address" type="email" required maxLength={320} autocomplete="off" />
        </Form>
      </Section>
    </Page>
  );
};

interface RecipientsTableProps {
  readonly recipients: readonly VerifiedRecipient[];
  /** Path of the service's recipients in the API. */
  readonly path: string;
  readonly onChange: () => void;
}

const RecipientsTable = ({ recipients, path, onChange }: RecipientsTableProps) => {
  const remove = async ({ id }: VerifiedRecipient) => {
    await api.delete(`${path}/${id}`);
    onChange();
  };
  return (
    <DataTable
      caption="Verified and pending recipients"
      rows={recipients}
      keyOf={recipient => recipient.id}
      columns={[
        { title: 'Address', cell: recipient => <strong>{recipient.address}</strong> },
        {
          title: 'Status',
          cell: recipient =>
            recipient.status === 'verified' ? (
              <Badge status="verified" />
            ) : (
              <EnterCode recipient={recipient} path={`${path}/${recipient.id}`} onVerified={onChange} />
            ),
        },
        { title: 'Added', cell: recipient => <Time at={recipient.created_at} /> },
        {
          title: 'Actions',
          buttons: true,
          cell: recipient => (
            <ConfirmButton
              label={`Delete ${recipient.address}`}
              question={`Delete ${recipient.address}?`}
              consequence="Sandbox messages to this address will be rejected."
              confirm="Delete recipient"
              work={() => remove(recipient)}
            >
              Delete
            </ConfirmButton>
          ),
        },
      ]}
    />
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
