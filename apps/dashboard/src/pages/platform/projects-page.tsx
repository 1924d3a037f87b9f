import { api } from '../../api-client.js';
import type { Project } from '../../api-shapes.js';
import { useAction, useLoading } from '../../loading.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { goTo, Link } from '../../router.js';

export const ProjectsPage = () => {
  const projects = useLoading<Project[]>(signal => api.get('/projects', {}, signal), []);
  const create = useAction(async ({ name, description }: Values) => {
    const created = await api.post<Project>('/projects', { name, ...(description ? { description } : {}) });
    goTo(`/projects/${created.id}`);
  });
  return (
    <Page title="Projects">
      <Loaded of={projects}>
        {list =>
          list.length === 0 ? (
            <Empty>You have no project yet. Create the first one below.</Empty>
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
      <Section title="New project" about="Web services that belong together, and the secrets that they share.">
        <Form action={create} submit="Create">
          <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
          <Field label="Description" name="description" maxLength={2000} hint="May be left empty." autocomplete="off" />
        </Form>
      </Section>
    </Page>
  );
};
