import { api } from '../../api-client.js';
import type { ProjectSecrets } from '../../api-shapes.js';
import { formatWords } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { ConfirmButton } from '../../parts/action-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Check, Select } from '../../parts/form-choices.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Section } from '../../parts/page.js';
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
      about="Every web service of the project gets those of its scope, from its next start on. A variable of the service itself wins."
    >
      <Loaded of={secrets}>
        {byKey => {
          const rows = Object.entries(byKey).flatMap(([key, values]) => values.map(value => ({ key, ...value })));
          if (rows.length === 0) return <Empty>This project has no secret yet.</Empty>;
          return (
            <DataTable
              caption="Secrets of this project"
              rows={rows}
              keyOf={secret => secret.id}
              columns={[
                { title: 'Key', cell: secret => <code>{secret.key}</code> },
                { title: 'Scope', cell: secret => formatWords(secret.scope) },
                { title: 'Value', cell: secret => <code class="long">{secret.value}</code> },
                {
                  title: 'What to do',
                  buttons: true,
                  cell: secret => (
                    <ConfirmButton
                      label={`Delete ${secret.key} of ${secret.scope}`}
                      question={`Delete ${secret.key} of ${secret.scope}?`}
                      consequence="Web services miss it from their next start on."
                      confirm="Delete the secret"
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
      <Form action={set} submit="Set" class="line wide">
        <Field label="Key" name="key" required maxLength={255} autocomplete="off" spellcheck={false} />
        <Field label="Value" name="value" autocomplete="off" spellcheck={false} />
        <Select label="Scope" name="scope" options={SCOPES} />
        <Check label="Mask the value" name="is_secret" checked />
      </Form>
    </Section>
  );
};
