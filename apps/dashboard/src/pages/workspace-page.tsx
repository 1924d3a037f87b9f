import type { Workspace, WorkspaceQuotas } from '@postern/contracts';
import { api } from '../api-client.js';
import { EditForm, Field, type Values } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { Page, Section } from '../components/page.js';
import { useAction, useLoading } from '../loading.js';
import { useSignedIn } from '../session.js';
import { NotificationTargetsSection } from './notification-targets-section.js';
import { WorkspaceDeletion } from './workspace-deletion.js';
import { ChangeQuota, QuotaTable } from './workspace-quotas.js';

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
