import type { ProviderEndpoint, ProviderKind } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { ActionButton, ConfirmButton } from '../components/action-button.js';
import { DataTable } from '../components/data-table.js';
import { Field, Form, type Values } from '../components/form.js';
import { Select } from '../components/form-controls.js';
import { Loaded } from '../components/loaded.js';
import { Notice } from '../components/notice.js';
import { OneTimeSecret } from '../components/one-time-secret.js';
import { CollapsibleSection, EmptyState, Page } from '../components/page.js';
import { Time } from '../components/time.js';
import { useAction, useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';

const PATH = '/provider-endpoints';

interface Provider {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly fields: readonly (readonly [name: string, label: string, required: boolean])[];
}

const BASIC = [
  ['username', 'User name', false],
  ['password', 'Password', false],
] as const;

const PROVIDERS: readonly Provider[] = [
  { kind: 'ses', name: 'Amazon SES', fields: [['topic_arn', 'ARN of the SNS topic', false]] },
  { kind: 'mailgun', name: 'Mailgun', fields: [['signing_key', 'HTTP webhook signing key', true]] },
  { kind: 'sendgrid', name: 'SendGrid', fields: [['public_key', 'Verification key', true]] },
  { kind: 'postmark', name: 'Postmark', fields: BASIC },
  { kind: 'brevo', name: 'Brevo', fields: [['bearer_token', 'Bearer token', false], ...BASIC] },
];
const nameOf = (kind: ProviderKind) => PROVIDERS.find(provider => provider.kind === kind)?.name ?? kind;

/** URLs that receive the events of mail providers. Only administrators can create them. */
export const ProviderEndpointsPage = () => {
  const { me } = useSignedIn();
  return (
    <Page title="Mail providers">
      {me.operator ? (
        <Endpoints />
      ) : (
        <Notice kind="warning">Only administrators can manage mail providers. Ask your administrator.</Notice>
      )}
    </Page>
  );
};

const Endpoints = () => {
  const endpoints = useLoading<ProviderEndpoint[]>(signal => api.get(PATH, {}, signal), []);
  const [shown, setShown] = useState<{ readonly title: string; readonly url: string }>();
  const [kind, setKind] = useState<ProviderKind>();
  const show = (title: string, { url }: { readonly url: string }) => {
    setShown({ title, url });
    endpoints.reload();
  };
  return (
    <>
      <p class="about">
        If Postern sends through one of these providers, its events tell which messages were delivered, bounced or
        complained about. <a href="/docs/email/providers">How to set up each provider</a>
      </p>
      {shown && (
        <OneTimeSecret title={shown.title} secret={shown.url} what="the URL" onSaved={() => setShown(undefined)} />
      )}
      <CollapsibleSection
        title="New URL"
        open={endpoints.value?.length === 0}
        about="Enter the URL in the webhook settings of the provider."
      >
        {kind === undefined ? (
          <ProviderChoice onChosen={setKind} />
        ) : (
          <NewEndpoint
            key={kind}
            provider={PROVIDERS.find(provider => provider.kind === kind)!}
            onCreated={created => {
              setKind(undefined);
              show(`The URL for ${nameOf(kind)}`, created);
            }}
            onCancel={() => setKind(undefined)}
          />
        )}
      </CollapsibleSection>
      <Loaded of={endpoints}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No URLs yet. Create one to receive the events of a mail provider.</EmptyState>
          ) : (
            <EndpointsTable endpoints={list} onRotated={show} onDeleted={endpoints.reload} />
          )
        }
      </Loaded>
    </>
  );
};

const ProviderChoice = ({ onChosen }: { readonly onChosen: (kind: ProviderKind) => void }) => {
  const choose = useAction(async ({ kind }: Values) => onChosen(kind as ProviderKind));
  return (
    <Form action={choose} submit="Continue" class="line">
      <Select label="Provider" name="kind" options={PROVIDERS.map(({ kind, name }) => [kind, name] as const)} />
    </Form>
  );
};

interface NewEndpointProps {
  readonly provider: Provider;
  readonly onCreated: (created: { readonly url: string }) => void;
  readonly onCancel: () => void;
}

const NewEndpoint = ({ provider: { kind, name, fields }, onCreated, onCancel }: NewEndpointProps) => {
  const create = useAction(async (values: Values) => {
    const given = Object.entries(values).filter(([, value]) => value !== '');
    onCreated(await api.post(PATH, { kind, ...Object.fromEntries(given) }));
  });
  return (
    <>
      <Form action={create} submit={`Create URL for ${name}`}>
        {fields.map(([field, label, required]) => (
          <Field
            key={field}
            label={label}
            name={field}
            required={required}
            maxLength={1_000}
            autocomplete="off"
            {...(required ? {} : { hint: 'Optional' })}
          />
        ))}
      </Form>
      <ActionButton class="quiet" work={async () => onCancel()}>
        Choose another provider
      </ActionButton>
    </>
  );
};

interface EndpointsTableProps {
  readonly endpoints: readonly ProviderEndpoint[];
  readonly onRotated: (title: string, rotated: { readonly url: string }) => void;
  readonly onDeleted: () => void;
}

const CHECKED: Readonly<Record<ProviderEndpoint['authentication'], string>> = {
  signature: 'Signature',
  basic: 'User name and password',
  bearer: 'Bearer token',
  url: 'The URL alone',
};

const EndpointsTable = ({ endpoints, onRotated, onDeleted }: EndpointsTableProps) => (
  <DataTable
    caption="URLs for events of mail providers"
    rows={endpoints}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Provider', cell: ({ kind }) => <strong>{nameOf(kind)}</strong> },
      { title: 'Checked by', cell: ({ authentication }) => CHECKED[authentication] },
      { title: 'Events', cell: ({ events }) => events },
      { title: 'Ignored', cell: ({ ignored }) => ignored },
      { title: 'Refused calls', cell: ({ refused }) => refused },
      {
        title: 'Last event',
        cell: ({ last_event_at }) => (last_event_at === null ? 'Never' : <Time at={last_event_at} />),
      },
      {
        title: 'Actions',
        buttons: true,
        cell: ({ id, kind }) => (
          <>
            <ActionButton
              class="quiet"
              label={`Replace the URL for ${nameOf(kind)}`}
              work={async () =>
                onRotated(
                  `The new URL for ${nameOf(kind)}. The previous one works for 24 hours.`,
                  await api.post<{ url: string }>(`${PATH}/${id}/rotate`, {}),
                )
              }
            >
              Replace URL
            </ActionButton>
            <ConfirmButton
              label={`Delete the URL for ${nameOf(kind)}`}
              question={`Delete the URL for ${nameOf(kind)}?`}
              consequence="The provider’s events are refused immediately. This cannot be undone."
              confirm="Delete URL"
              work={async () => {
                await api.delete(`${PATH}/${id}`);
                onDeleted();
              }}
            >
              Delete
            </ConfirmButton>
          </>
        ),
      },
    ]}
  />
);
