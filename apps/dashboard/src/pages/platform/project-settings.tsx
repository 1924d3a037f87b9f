import type { Project, ProjectSecrets, WebService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { DangerZone } from '../../components/danger-zone.js';
import { EditForm, Field, type Values } from '../../components/form.js';
import { Section } from '../../components/page.js';
import { counted } from '../../formatting.js';
import { type Loading, useAction, useLoading } from '../../loading.js';
import { navigate } from '../../router.js';

interface ProjectSettingsProps {
  readonly project: Project;
  readonly services: Loading<WebService[]>;
  readonly reload: () => void;
}

/** Name and description of a project, and its deletion once it has no web services. */
export const ProjectSettings = ({ project, services, reload }: ProjectSettingsProps) => {
  const path = `/projects/${project.id}`;
  const save = useAction(async ({ name = '', description = '' }: Values) => {
    await api.patch<Project>(path, { name, description: description === '' ? null : description });
    reload();
  });
  return (
    <>
      <Section title="Settings">
        <EditForm action={save} class="pairs">
          <Field label="Name" name="name" required maxLength={100} defaultValue={project.name} autocomplete="off" />
          <Field
            label="Description"
            name="description"
            maxLength={2000}
            defaultValue={project.description ?? ''}
            hint="Optional"
            autocomplete="off"
          />
        </EditForm>
      </Section>
      <Deletion project={project} services={services} />
    </>
  );
};

const Deletion = ({ project, services }: Omit<ProjectSettingsProps, 'reload'>) => {
  const path = `/projects/${project.id}`;
  const secrets = useLoading<ProjectSecrets>(signal => api.get(`${path}/secrets`, {}, signal), [path]);
  const left = services.value?.filter(({ project_id }) => project_id === project.id).length ?? 0;
  if (left > 0)
    return (
      <Section title="Delete this project">
        <p>
          The project has {counted(left, 'web service')}. Delete {left === 1 ? 'it' : 'them'} first.
        </p>
      </Section>
    );
  const remove = async () => {
    await api.delete(path);
    navigate('/projects');
  };
  const goes = [counted(Object.values(secrets.value ?? {}).flat().length, 'secret')];
  return <DangerZone what="project" name={project.name} goes={goes} work={remove} />;
};
