import type { Workspace, WorkspaceQuotas } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { DataTable } from '../components/data-table.js';
import { Choice, EditForm, Field, Form, type Values } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { Page, Section } from '../components/page.js';
import { formatCount, formatLabel } from '../formatting.js';
import { useAction, useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';
import { NotificationTargetsSection } from './notification-targets-section.js';
import { WorkspaceDeletion } from './workspace-deletion.js';

type QuotaName = keyof WorkspaceQuotas;

/** The name, the quotas and the deletion of the active workspace; administrators can change quotas. */
export const WorkspacePage = () => {
  const { me } = useSignedIn();
  const { id, name } = me.active_workspace;
  const path = `/workspaces/${id}/quotas`;
  const quotas = useLoading<WorkspaceQuotas>(signal => api.get(path, {}, signal), [path]);
  return (
    <Page title={name}>
      {me.active_workspace.role === 'owner' && <Name key={id} />}
      {me.active_workspace.role === 'owner' && <NotificationTargetsSection key={`notifications-${id}`} />}
      <Loaded of={quotas}>
        {current => (
          <>
            <Section title="Quotas" about="Deleting a resource frees quota. Ask your administrator for a higher limit.">
              <QuotaTable quotas={current} />
            </Section>
            {me.operator && <ChangeQuota path={path} quotas={current} onChanged={quotas.replace} />}
            {me.active_workspace.role === 'owner' && <WorkspaceDeletion quotas={current} />}
          </>
        )}
      </Loaded>
    </Page>
  );
};

const Name = () => {
  const { me, reload } = useSignedIn();
  const { id, name } = me.active_workspace;
  const rename = useAction(async (values: Values) => {
    await api.patch<Workspace>(`/workspaces/${id}`, { name: values['name'] ?? '' });
    reload();
  });
  return (
    <Section title="Name">
      <EditForm action={rename} saved="Name saved." class="line">
        <Field label="Name" name="name" required maxLength={100} defaultValue={name} autocomplete="off" />
      </EditForm>
    </Section>
  );
};

const QuotaTable = ({ quotas }: { readonly quotas: WorkspaceQuotas }) => (
  <DataTable
    caption="Quotas of this workspace"
    rows={Object.entries(quotas)}
    keyOf={([name]) => name}
    columns={[
      { title: 'Quota', cell: ([name]) => formatLabel(name) },
      { title: 'Used', numeric: true, cell: ([, { used }]) => (used === null ? 'Per service' : formatCount(used)) },
      { title: 'Limit', numeric: true, cell: ([, { limit }]) => formatCount(limit) },
    ]}
  />
);

interface ChangeQuotaProps {
  readonly path: string;
  readonly quotas: WorkspaceQuotas;
  readonly onChanged: (quotas: WorkspaceQuotas) => void;
}

const ChangeQuota = ({ path, quotas, onChanged }: ChangeQuotaProps) => {
  const names = Object.keys(quotas) as QuotaName[];
  const [quota, setQuota] = useState<QuotaName>('projects');
  const change = useAction(async ({ limit }: Values) =>
    onChanged(await api.patch(path, { [quota]: limit ? Number(limit) : null })),
  );
  return (
    <Section title="Edit quota" about="Lowering a limit doesn’t delete anything.">
      <Choice
        label="Quota"
        value={quota}
        options={names.map(name => [name, formatLabel(name)] as const)}
        onChoice={name => setQuota(name as QuotaName)}
      />
      <Form action={change} submit="Save" class="line">
        <Field
          label="Limit"
          name="limit"
          type="number"
          min={0}
          max={100_000_000}
          hint={`Leave empty for the default, ${quotas[quota].default_limit}.`}
        />
      </Form>
    </Section>
  );
};
