import { api } from '../../api-client.js';
import type { WebService } from '../../api-shapes.js';
import { useAction } from '../../loading.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Select } from '../../parts/form-choices.js';
import { Section } from '../../parts/page.js';
import { goTo } from '../../router.js';
import { SCOPES } from './scopes.js';

export const NewWebService = ({ projectId }: { readonly projectId: string }) => {
  const create = useAction(async (values: Values) => {
    const created = await api.post<WebService>('/web-services', { project_id: projectId, ...inputOf(values) });
    goTo(`/web-services/${created.id}/deployments`);
  });
  return (
    <Section title="New web service" about="It starts with its first deployment.">
      <Form action={create} submit="Create the web service" class="pairs">
        <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
        <Field
          label="Git repository"
          name="git_repository_url"
          required
          maxLength={2048}
          placeholder="https://git.example.com/shop.git"
          autocomplete="off"
          spellcheck={false}
        />
        <Field label="Branch" name="branch" hint="Empty: the repository’s default branch." autocomplete="off" />
        <Field label="Port" name="port" type="number" min={1} max={65_535} required defaultValue="3000" />
        <Field label="Build command" name="build_command" placeholder="npm run build" autocomplete="off" />
        <Field
          label="Start command"
          name="start_command"
          hint="Empty: the Procfile’s web line, else the start script, else a static site."
          autocomplete="off"
        />
        <Field label="Instances at least" name="min_instances" type="number" min={1} max={20} defaultValue="1" />
        <Field label="Instances at most" name="max_instances" type="number" min={1} max={20} defaultValue="1" />
        <Field
          label="Health check path"
          name="health_check_path"
          placeholder="/healthz"
          hint="Empty: the port has to accept connections."
          autocomplete="off"
        />
        <Select label="Secrets of the project" name="environment" options={SCOPES} />
      </Form>
    </Section>
  );
};

const NUMBERS = new Set(['port', 'min_instances', 'max_instances']);

/** What was filled in; the API has a default for everything else. */
const inputOf = (values: Values): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]),
  );
