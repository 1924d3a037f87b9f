import type { BulkResult, Variable } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Checkbox, TextArea } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Page, Section } from '../../components/page.js';
import { counted } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { maskingOf, parseEnvLines } from './env-lines.js';
import { useWebService } from './web-service-layout.js';

export const EnvironmentPage = () => {
  const path = `${useWebService().path}/env`;
  const variables = useLoading<Variable[]>(signal => api.get(path, {}, signal), [path]);
  const [result, setResult] = useState<BulkResult>();
  const set = useAction(async ({ key, value, is_secret }: Values) => {
    await api.post<Variable>(path, { key, value, ...maskingOf(is_secret) });
    variables.reload();
  });
  const setMany = useAction(async ({ lines = '', is_secret }: Values) => {
    setResult(undefined);
    const pairs = parseEnvLines(lines).map(pair => ({ ...pair, ...maskingOf(is_secret) }));
    setResult(await api.put<BulkResult>(`${path}/bulk`, { variables: pairs }));
    variables.reload();
  });
  const remove = async (variable: Variable) => {
    await api.delete(`${path}/${variable.id}`);
    variables.reload();
  };
  return (
    <Page title="Environment">
      <p class="about">Changes take effect the next time the web service starts, restarts or is deployed.</p>
      <Loaded of={variables}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No variables yet. Add one below.</EmptyState>
          ) : (
            <Variables list={list} remove={remove} />
          )
        }
      </Loaded>
      <Section title="Set a variable" about="If the key exists, its value is replaced. A masked variable stays masked.">
        <Form action={set} submit="Save variable" class="line wide">
          <Field label="Key" name="key" required maxLength={255} autocomplete="off" spellcheck={false} />
          <Field label="Value" name="value" autocomplete="off" spellcheck={false} />
          <Checkbox label="Mask value" name="is_secret" />
        </Form>
      </Section>
      <Section
        title="Import variables"
        about="Adds or replaces all listed variables at once. Masked variables stay masked. Other variables do not change."
      >
        {result && (
          <Notice kind="good">
            {counted(result.created.length, 'variable')} created, {counted(result.updated.length, 'variable')} updated.
          </Notice>
        )}
        <Form action={setMany} submit="Import">
          <TextArea label="Contents of an .env file" name="lines" rows={6} required placeholder="KEY=value" />
          <Checkbox label="Mask values" name="is_secret" />
        </Form>
      </Section>
    </Page>
  );
};

interface VariablesProps {
  readonly list: readonly Variable[];
  readonly remove: (variable: Variable) => Promise<void>;
}

const Variables = ({ list, remove }: VariablesProps) => (
  <DataTable
    caption="Variables of this web service"
    rows={list}
    keyOf={variable => variable.id}
    columns={[
      { title: 'Key', cell: variable => <code>{variable.key}</code> },
      { title: 'Value', cell: variable => <code class="long">{variable.value}</code> },
      {
        title: 'Actions',
        buttons: true,
        cell: variable => (
          <ConfirmButton
            label={`Delete ${variable.key}`}
            question={`Delete ${variable.key}?`}
            consequence="It is removed at the next start."
            confirm="Delete variable"
            work={() => remove(variable)}
          >
            Delete
          </ConfirmButton>
        ),
      },
    ]}
  />
);
