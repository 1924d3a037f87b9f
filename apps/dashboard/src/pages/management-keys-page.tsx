import type { EmailService, ManagementKey } from '@postern/contracts';
import { api } from '../api-client.js';
import { Tag } from '../components/badge.js';
import { Field, type Values } from '../components/form.js';
import { Checkbox, Select } from '../components/form-controls.js';
import { KeysPage } from '../components/keys-page.js';
import { Time } from '../components/time.js';
import { useLoading } from '../loading.js';

const SCOPES = [
  ['domains', 'Domains'],
  ['webhooks', 'Webhooks'],
  ['suppressions', 'Suppressions'],
  ['messages:read', 'Read messages, statistics and requests'],
  ['keys', 'API keys'],
] as const;

/** Keys of the dashboard API, for programs. */
export const ManagementKeysPage = () => {
  const services = useLoading<EmailService[]>(signal => api.get('/email-services', {}, signal), []);
  const nameOf = (id: string) => services.value?.find(service => service.id === id)?.name ?? id;
  return (
    <KeysPage<ManagementKey>
      title="Management keys"
      noun="management key"
      about={
        <>
          Use these keys to manage email services from scripts, CI and Terraform. Send a key as{' '}
          <code>Authorization: Bearer</code> to <code>/dashboard/api</code>.
        </>
      }
      path="/management-keys"
      caption="Management keys of this workspace"
      empty="No management keys yet. Create one to manage email services from a program."
      columns={[
        { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
        { title: 'Email service', cell: ({ service_id }) => (service_id === null ? 'All' : nameOf(service_id)) },
        { title: 'Expires', cell: key => <Expiry of={key} /> },
      ]}
      revokeConsequence="Requests using this key will fail immediately."
      aboutNew="Create one key for each program, with the scopes that it needs."
      fields={
        <>
          <fieldset class="kinds">
            <legend>Scopes</legend>
            {SCOPES.map(([scope, label]) => (
              <Checkbox key={scope} label={label} name={scope} />
            ))}
          </fieldset>
          <Select
            label="Email service"
            name="service_id"
            options={[
              ['', 'All of this workspace'],
              ...(services.value ?? []).map(({ id, name }) => [id, name] as const),
            ]}
          />
          <Field label="Expires" name="expires_at" type="datetime-local" hint="Optional" />
        </>
      }
      requestOf={({ service_id, expires_at, ...values }: Values) => ({
        scopes: SCOPES.flatMap(([scope]) => (values[scope] ? [scope] : [])),
        ...(service_id && { service_id }),
        ...(expires_at && { expires_at: new Date(expires_at).toISOString() }),
      })}
    />
  );
};

const Expiry = ({ of: { expiry } }: { readonly of: ManagementKey }) => {
  if (expiry === null) return 'Never';
  return Date.parse(expiry) <= Date.now() ? <Tag tone="bad">Expired</Tag> : <Time at={expiry} />;
};
