import type { ListedTemplate, Template } from '@postern/contracts';
import { api } from '../../api-client.js';
import { DataTable } from '../../components/data-table.js';
import { Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { CollapsibleSection, EmptyState, Page } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useAction, useLoading } from '../../loading.js';
import { Link, navigate } from '../../router.js';
import { useService } from './service-layout.js';
import { TemplateFields, templateValues } from './template-fields.js';

export const TemplatesPage = () => {
  const { path: service, page } = useService();
  const path = `${service}/templates`;
  const templates = useLoading<ListedTemplate[]>(signal => api.get(path, {}, signal), [path]);
  const create = useAction(async (values: Values) => {
    const { text, ...rest } = templateValues(values);
    const created = await api.post<Template>(path, { ...rest, ...(text === null ? {} : { text }) });
    navigate(`${page}/templates/${created.id}`);
  });
  return (
    <Page title="Templates">
      <p class="about">
        Send a template with POST /emails: <code>"template": {'{ "name": "…", "variables": { … } }'}</code>
      </p>
      <CollapsibleSection title="New template" open={templates.value?.length === 0}>
        <Form action={create} submit="Create template">
          <TemplateFields />
        </Form>
      </CollapsibleSection>
      <Loaded of={templates}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No templates yet. Create one above.</EmptyState>
          ) : (
            <DataTable
              caption="Templates"
              rows={list}
              keyOf={template => template.id}
              columns={[
                {
                  title: 'Name',
                  cell: ({ id, name }) => (
                    <Link to={`${page}/templates/${id}`} class="long">
                      {name}
                    </Link>
                  ),
                },
                { title: 'Variables', cell: ({ variables }) => <span class="long">{variables.join(', ')}</span> },
                { title: 'Version', cell: ({ version }) => version },
                { title: 'Updated', cell: ({ updated_at }) => <Time at={updated_at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
};
