import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { BulkResult, Variable } from '../../api-shapes.js';
import { counted } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { ConfirmButton } from '../../parts/action-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Check, Text } from '../../parts/form-choices.js';
import { Loaded } from '../../parts/loaded.js';
import { Notice } from '../../parts/notice.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { pairsIn } from './env-lines.js';
import { useWebService } from './web-service-frame.js';

export const EnvironmentPage = () => {
  const path = `${useWebService().path}/env`;
  const variables = useLoading<Variable[]>(signal => api.get(path, {}, signal), [path]);
  const [result, setResult] = useState<BulkResult>();
  const set = useAction(async ({ key, value, is_secret }: Values) => {
    await api.post<Variable>(path, { key, value, is_secret: is_secret === 'on' });
    variables.reload();
  });
  const setMany = useAction(async ({ lines = '', is_secret }: Values) => {
    setResult(undefined);
    const masked = is_secret === 'on' ? { is_secret: true } : {};
    const pairs = pairsIn(lines).map(pair => ({ ...pair, ...masked }));
    setResult(await api.put<BulkResult>(`${path}/bulk`, { variables: pairs }));
    variables.reload();
  });
  const remove = async (variable: Variable) => {
    await api.delete(`${path}/${variable.id}`);
    variables.reload();
  };
  return (
    <Page title="Environment">
      <p class="about">A change takes effect at the next start, restart or deployment.</p>
      <Loaded of={variables}>
        {list => (list.length === 0 ? <Empty>No variable yet.</Empty> : <Variables list={list} remove={remove} />)}
      </Loaded>
      <Section title="Set a variable" about="A key that is there already gets the new value.">
        <Form action={set} submit="Set" class="line wide">
          <Field label="Key" name="key" required maxLength={255} autocomplete="off" spellcheck={false} />
          <Field label="Value" name="value" autocomplete="off" spellcheck={false} />
          <Check label="Mask the value" name="is_secret" />
        </Form>
      </Section>
      <Section title="Set many" about="All of them or none; keys that are not named stay as they are.">
        {result && (
          <Notice kind="good">
            {counted(result.created.length, 'variable')} created, {counted(result.updated.length, 'variable')} updated.
          </Notice>
        )}
        <Form action={setMany} submit="Set them">
          <Text label="Lines of an .env file" name="lines" rows={6} required placeholder="KEY=value" />
          <Check label="Mask the values" name="is_secret" />
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
        title: 'What to do',
        buttons: true,
        cell: variable => (
          <ConfirmButton
            label={`Delete ${variable.key}`}
            question={`Delete ${variable.key}?`}
            consequence="The web service misses it from its next start on."
            confirm="Delete the variable"
            work={() => remove(variable)}
          >
            Delete
          </ConfirmButton>
        ),
      },
    ]}
  />
);
