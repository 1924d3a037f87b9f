import type { Project } from '@postern/contracts';
import { api } from '../../api-client.js';
import { DataTable } from '../../components/data-table.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { CollapsibleSection, EmptyState, Page } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useAction, useLoading } from '../../loading.js';
import { Link, navigate } from '../../router.js';

export const ProjectsPage = () => {
  const projects = useLoading<Project[]>(signal => api.get('/projects', {}, signal), []);
  const create = useAction(async ({ name, description }: Values) => {
    const created = await api.post<Project>('/projects', { name, ...(description ? { description } : {}) });
    navigate(`/projects/${created.id}`);
  });
  return (
    <Page title="Projects">
      <CollapsibleSection
        title="New project"
        open={projects.value?.length === 0}
        about="A project groups web services and the secrets they share."
      >
        <Form action={create} submit="Create project">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          <Field label="Description" name="description" maxLength={2000} hint="Optional" autocomplete="off" />
        </Form>
      </CollapsibleSection>
      <Loaded of={projects}>
        {list =>
          list.length === 0 ? (
            <EmptyState>No projects yet. Create one to run web services.</EmptyState>
          ) : (
            <DataTable
              caption="Your projects"
              rows={list}
              keyOf={project => project.id}
              columns={[
                { title: 'Name', cell: project => <Link to={`/projects/${project.id}`}>{project.name}</Link> },
                { title: 'Description', cell: project => <span class="long">{project.description}</span> },
                { title: 'Created', cell: project => <Time at={project.created_at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
};
