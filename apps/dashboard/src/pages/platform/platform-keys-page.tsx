import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { CreatedPlatformKey, PlatformKey } from '../../api-shapes.js';
import { useAction, useLoading } from '../../loading.js';
import { ConfirmButton } from '../../parts/action-button.js';
import { Mark } from '../../parts/badge.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Select } from '../../parts/form-choices.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { Time } from '../../parts/time.js';

const PATH = '/platform-keys';

export const PlatformKeysPage = () => {
  const keys = useLoading<PlatformKey[]>(signal => api.get(PATH, {}, signal), []);
  const [created, setCreated] = useState<CreatedPlatformKey>();
  const create = useAction(async ({ name, scope, expires_at }: Values) => {
    const expiry = expires_at ? { expires_at: new Date(expires_at).toISOString() } : {};
    setCreated(await api.post<CreatedPlatformKey>(PATH, { name, scope, ...expiry }));
    keys.reload();
  });
  const revoke = async (key: PlatformKey) => {
    await api.delete(`${PATH}/${key.id}`);
    if (created?.id === key.id) setCreated(undefined);
    keys.reload();
  };
  return (
    <Page title="Platform keys">
      <p class="about">
        For programs: with one of these keys they do on <code>/api/v1</code> what you may do here.
      </p>
      {created && (
        <SecretOnce
          title={`The key “${created.name}”`}
          secret={created.key}
          what="the platform key"
          onStored={() => setCreated(undefined)}
        />
      )}
      <Loaded of={keys}>
        {list =>
          list.length === 0 ? (
            <Empty>You have no key in this workspace yet.</Empty>
          ) : (
            <DataTable
              caption="Your platform keys in this workspace"
              rows={list}
              keyOf={key => key.id}
              columns={[
                { title: 'Name', cell: key => <strong>{key.name}</strong> },
                { title: 'Begins with', cell: key => <code>{key.key_prefix}…</code> },
                { title: 'May', cell: key => (key.scope === 'write' ? 'Read and write' : 'Read') },
                { title: 'Expires', cell: key => <Expiry of={key} /> },
                { title: 'Last used', cell: key => (key.last_used_at ? <Time at={key.last_used_at} /> : 'Never') },
                {
                  title: 'What to do',
                  buttons: true,
                  cell: key => (
                    <ConfirmButton
                      label={`Revoke ${key.name}`}
                      question={`Revoke “${key.name}”?`}
                      consequence="Whoever uses this key is refused from this moment on. This cannot be undone."
                      confirm="Revoke the key"
                      work={() => revoke(key)}
                    >
                      Revoke
                    </ConfirmButton>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Section title="New platform key" about="One for each program, so that one can be revoked without the others.">
        <Form action={create} submit="Create" class="line wide">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          <Select
            label="May"
            name="scope"
            options={[
              ['read', 'Read'],
              ['write', 'Read and write'],
            ]}
          />
          <Field label="Expires (may be left empty)" name="expires_at" type="datetime-local" />
        </Form>
      </Section>
    </Page>
  );
};

const Expiry = ({ of: { expiry } }: { readonly of: PlatformKey }) => {
  if (expiry === null) return 'Never';
  return Date.parse(expiry) <= Date.now() ? <Mark standing="bad">Expired</Mark> : <Time at={expiry} />;
};
