import type { BulkResult, ResolvedVariable, Variable } from '@postern/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Checkbox, TextArea } from '../../components/form-controls.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { counted } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { maskingOf, parseEnvLines } from './env-lines.js';
import { type EnvironmentRow, environmentRows, waitingKeys } from './environment-rows.js';
import { useWebService } from './web-service-layout.js';

interface Environment {
  readonly variables: readonly Variable[];
  readonly resolved: readonly ResolvedVariable[];
}

export const EnvironmentPage = () => {
  const { path: service } = useWebService();
  const path = `${service}/env`;
  const environment = useLoading<Environment>(
    async signal => {
      const [variables, resolved] = await Promise.all([
        api.get<Variable[]>(path, {}, signal),
        api.get<ResolvedVariable[]>(`${path}/resolved`, {}, signal),
      ]);
      return { variables, resolved };
    },
    [path],
  );
  useLive(environment, service.slice(1));
  const [done, setDone] = useState('');
  const [edited, setEdited] = useState<Variable>();
  const set = useAction(async ({ key = '', value, is_secret }: Values) => {
    setDone('');
    await api.post<Variable>(path, { key, value, ...maskingOf(is_secret) });
    setDone(`${key} saved.`);
    setEdited(undefined);
    environment.reload();
  });
  const setMany = useAction(async ({ lines = '', is_secret }: Values) => {
    setDone('');
    const pairs = parseEnvLines(lines).map(pair => ({ ...pair, ...maskingOf(is_secret) }));
    const { created, updated } = await api.put<BulkResult>(`${path}/bulk`, { variables: pairs });
    setDone(`${counted(created.length, 'variable')} created, ${counted(updated.length, 'variable')} updated.`);
    environment.reload();
  });
  const remove = async ({ id, key }: Variable) => {
    setDone('');
    await api.delete(`${path}/${id}`);
    setDone(`${key} deleted.`);
    environment.reload();
  };
  return (
    <Page title="Environment">
      <p class="about">
        What the web service gets the next time it starts, restarts or is deployed: its own variables, those of attached
        databases, the secrets of its project, and those that Postern sets.
      </p>
      <Loaded of={environment}>
        {({ variables, resolved }) => (
          <>
            <Waiting done={done} keys={waitingKeys(resolved)} onRestarted={() => setDone('')} />
            <Variables rows={environmentRows(resolved, variables)} edit={setEdited} remove={remove} />
          </>
        )}
      </Loaded>
      <Section
        title={edited ? `Edit ${edited.key}` : 'Set a variable'}
        about="If the key exists, its value is replaced. A masked variable stays masked."
      >
        <VariableForm key={edited?.id} edited={edited} action={set} />
      </Section>
      <Section
        title="Import variables"
        about="Adds or replaces all listed variables at once. Masked variables stay masked. Other variables do not change."
      >
        <Form action={setMany} submit="Import">
          <TextArea label="Contents of an .env file" name="lines" rows={6} required placeholder="KEY=value" />
          <Checkbox label="Mask values" name="is_secret" />
        </Form>
      </Section>
    </Page>
  );
};

interface WaitingProps {
  /** What the user has just done. */
  readonly done: string;
  readonly keys: readonly string[];
  readonly onRestarted: () => void;
}

/** What has changed, and how the running instances get it. */
const Waiting = ({ done, keys, onRestarted }: WaitingProps) => {
  const { service, path, reload } = useWebService();
  if (done === '' && keys.length === 0) return null;
  if (service.status !== 'running') return done === '' ? null : <Notice kind="good">{done}</Notice>;
  const restart = async () => {
    await api.post(`${path}/restart`);
    onRestarted();
    reload();
  };
  return (
    <Notice kind="warning">
      <p>
        {done} {keys.length > 0 && `The running instances do not have this value of ${keys.join(', ')}.`} Restart or
        deploy the web service to apply the changes.
      </p>
      <ActionButton work={restart}>Restart</ActionButton>
    </Notice>
  );
};

interface VariableFormProps {
  readonly edited: Variable | undefined;
  readonly action: Parameters<typeof Form>[0]['action'];
}

const VariableForm = ({ edited, action }: VariableFormProps) => {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (edited) fields.current?.querySelector<HTMLInputElement>('input[name=value]')?.focus();
  }, [edited]);
  return (
    <div ref={fields}>
      <Form action={action} submit="Save variable" class="line wide">
        <Field
          label="Key"
          name="key"
          required
          maxLength={255}
          defaultValue={edited?.key ?? ''}
          autocomplete="off"
          spellcheck={false}
        />
        <Field
          label="Value"
          name="value"
          required={edited?.is_secret ?? false}
          defaultValue={edited && !edited.is_secret ? edited.value : ''}
          autocomplete="off"
          spellcheck={false}
        />
        <Checkbox label="Mask value" name="is_secret" checked={edited?.is_secret ?? false} />
      </Form>
    </div>
  );
};

const ORIGINS: Readonly<Record<ResolvedVariable['origin'], string>> = {
  variable: 'This web service',
  database: 'Attached database',
  project_secret: 'Project',
  platform: 'Postern',
};

interface VariablesProps {
  readonly rows: readonly EnvironmentRow[];
  readonly edit: (variable: Variable) => void;
  readonly remove: (variable: Variable) => Promise<void>;
}

const Variables = ({ rows, edit, remove }: VariablesProps) => (
  <DataTable
    caption="Environment of this web service"
    rows={rows}
    keyOf={({ key }) => key}
    columns={[
      {
        title: 'Key',
        cell: ({ key, running }) => (
          <>
            <code>{key}</code> {running === false && <small class="hint">from the next start</small>}
          </>
        ),
      },
      { title: 'Value', cell: ({ value }) => <code class="long">{value}</code> },
      { title: 'Origin', cell: ({ origin }) => ORIGINS[origin] },
      {
        title: 'Actions',
        buttons: true,
        cell: ({ key, variable }) =>
          variable && (
            <>
              <ActionButton class="quiet" label={`Edit ${key}`} work={async () => edit(variable)}>
                Edit
              </ActionButton>
              <ConfirmButton
                label={`Delete ${key}`}
                question={`Delete ${key}?`}
                consequence="It is removed at the next start."
                confirm="Delete variable"
                work={() => remove(variable)}
              >
                Delete
              </ConfirmButton>
            </>
          ),
      },
    ]}
  />
);
