import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { ApiKey, CreatedApiKey } from '../../api-shapes.js';
import { useAction, useLoading } from '../../loading.js';
import { ConfirmButton } from '../../parts/action-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { Time } from '../../parts/time.js';
import { useService } from './service-frame.js';

export const ApiKeysPage = () => {
  const path = `${useService().path}/api-keys`;
  const keys = useLoading<ApiKey[]>(signal => api.get(path, {}, signal), [path]);
  const [created, setCreated] = useState<CreatedApiKey>();
  const create = useAction(async ({ name }: Values) => {
    setCreated(await api.post<CreatedApiKey>(path, { name }));
    keys.reload();
  });
  const revoke = async (key: ApiKey) => {
    await api.delete(`${path}/${key.id}`);
    if (created?.id === key.id) setCreated(undefined);
    keys.reload();
  };
  return (
    <Page title="API keys">
      {created && (
        <SecretOnce
          title={`The key “${created.name}”`}
          secret={created.key}
          what="the API key"
          onStored={() => setCreated(undefined)}
        />
      )}
      <Loaded of={keys}>
        {list =>
          list.length === 0 ? (
            <Empty>No key yet: nothing can be sent through this service.</Empty>
          ) : (
            <DataTable
              caption="API keys"
              rows={list}
              keyOf={key => key.id}
              columns={[
                { title: 'Name', cell: key => <strong>{key.name}</strong> },
                { title: 'Begins with', cell: key => <code>{key.key_prefix}…</code> },
                { title: 'Created', cell: key => <Time at={key.created_at} /> },
                { title: 'Last used', cell: key => (key.last_used_at ? <Time at={key.last_used_at} /> : 'Never') },
                {
                  title: 'What to do',
                  buttons: true,
                  cell: key => (
                    <ConfirmButton
                      label={`Revoke ${key.name}`}
                      question={`Revoke “${key.name}”?`}
                      consequence="Whoever sends with this key is refused from this moment on. This cannot be undone."
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
      <Section title="New API key" about="One for each application, so that one can be revoked without the others.">
        <Form action={create} submit="Create" class="line">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
        </Form>
      </Section>
    </Page>
  );
};
