import type { ProjectSecrets } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Checkbox, Select } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { formatLabel } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { SCOPES } from './scopes.js';

export const ProjectSecretsSection = ({ projectId }: { readonly projectId: string }) => {
  const path = `/projects/${projectId}/secrets`;
  const secrets = useLoading<ProjectSecrets>(signal => api.get(path, {}, signal), [path]);
  const set = useAction(async ({ key, value, scope, is_secret }: Values) => {
    await api.post(path, { key, value, scope, is_secret: is_secret === 'on' });
    secrets.reload();
  });
  const remove = async (id: string) => {
    await api.delete(`${path}/${id}`);
    secrets.reload();
  };
  return (
    <Section
      title="Secrets"
      about="Each web service of the project gets the secrets of its scope when it starts. A variable of the web service overrides a secret with the same key."
    >
      <Loaded of={secrets}>
        {byKey => {
          const rows = Object.entries(byKey).flatMap(([key, values]) => values.map(value => ({ key, ...value })));
          if (rows.length === 0) return <EmptyState>No secrets yet. Add one below.</EmptyState>;
          return (
            <DataTable
              caption="Secrets of this project"
              rows={rows}
              keyOf={secret => secret.id}
              columns={[
                { title: 'Key', cell: secret => <code>{secret.key}</code> },
                { title: 'Scope', cell: secret => formatLabel(secret.scope) },
                { title: 'Value', cell: secret => <code class="long">{secret.value}</code> },
                {
                  title: 'Actions',
                  buttons: true,
                  cell: secret => (
                    <ConfirmButton
                      label={`Delete ${secret.key} (${secret.scope})`}
                      question={`Delete ${secret.key} (${secret.scope})?`}
                      consequence="It is removed at the next start of each web service."
                      confirm="Delete secret"
                      work={() => remove(secret.id)}
                    >
                      Delete
                    </ConfirmButton>
                  ),
                },
              ]}
            />
          );
        }}
      </Loaded>
      <Form action={set} submit="Save secret" class="line wide">
        <Field label="Key" name="key" required maxLength={255} autocomplete="off" spellcheck={false} />
        <Field label="Value" name="value" autocomplete="off" spellcheck={false} />
        <Select label="Scope" name="scope" options={SCOPES} />
        <Checkbox label="Mask value" name="is_secret" checked />
      </Form>
    </Section>
  );
};
