import type { Template, TemplateVersion } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { EditForm, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { Page, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useAction, useLoading } from '../../loading.js';
import { navigate } from '../../router.js';
import { useService } from './service-layout.js';
import { TemplateFields, templateValues } from './template-fields.js';
import { TemplateTrial } from './template-trial.js';

export const TemplatePage = ({ templateId }: { readonly templateId: string }) => {
  const { path: service, page } = useService();
  const path = `${service}/templates/${templateId}`;
  const loading = useLoading<Template>(signal => api.get(path, {}, signal), [path]);
  const remove = async () => {
    await api.delete(path);
    navigate(`${page}/templates`, { replace: true });
  };
  return (
    <Page
      title="Template"
      actions={
        <ConfirmButton
          question="Delete this template?"
          consequence="All its versions are deleted, and messages that name it are refused from then on."
          confirm="Delete template"
          work={remove}
        >
          Delete
        </ConfirmButton>
      }
    >
      <Loaded of={loading}>
        {template => (
          <>
            <Content template={template} path={path} onChanged={loading.replace} />
            <TemplateTrial key={template.version} template={template} path={path} page={page} />
            <Versions key={`versions ${template.version}`} path={path} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface ContentProps {
  readonly template: Template;
  readonly path: string;
  readonly onChanged: (template: Template) => void;
}

const Content = ({ template, path, onChanged }: ContentProps) => {
  const save = useAction(async (values: Values) => onChanged(await api.patch<Template>(path, templateValues(values))));
  return (
    <Section
      title={template.name}
      about={`Version ${template.version}. A change of the content creates the next version; earlier ones stay available.`}
    >
      <EditForm action={save}>
        <TemplateFields template={template} />
      </EditForm>
    </Section>
  );
};

const Versions = ({ path }: { readonly path: string }) => {
  const versions = useLoading<TemplateVersion[]>(signal => api.get(`${path}/versions`, {}, signal), [path]);
  return (
    <Section title="Versions">
      <Loaded of={versions}>
        {list => (
          <DataTable
            caption="Versions, the latest first"
            rows={list}
            keyOf={({ version }) => String(version)}
            columns={[
              { title: 'Version', cell: ({ version }) => version },
              { title: 'Subject', cell: ({ subject }) => <span class="long">{subject}</span> },
              { title: 'Variables', cell: ({ variables }) => <span class="long">{variables.join(', ')}</span> },
              { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
};
