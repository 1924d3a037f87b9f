import type { WebService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Select } from '../../components/form-controls.js';
import { CollapsibleSection } from '../../components/page.js';
import { useAction } from '../../loading.js';
import { navigate } from '../../router.js';
import { SCOPES } from './scopes.js';

interface NewWebServiceProps {
  readonly projectId: string;
  /** Whether the form is shown at first. */
  readonly open: boolean;
}

export const NewWebService = ({ projectId, open }: NewWebServiceProps) => {
  const create = useAction(async (values: Values) => {
    const created = await api.post<WebService>('/web-services', { project_id: projectId, ...requestOf(values) });
    navigate(`/web-services/${created.id}/deployments`);
  });
  return (
    <CollapsibleSection
      title="New web service"
      open={open}
      about="A web service is built from a Git repository, or runs an image of a container registry. It starts when you deploy it."
    >
      <Form action={create} submit="Create web service" class="pairs">
        <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
        <Field
          label="Git repository"
          name="git_repository_url"
          maxLength={2048}
          placeholder="https://git.example.com/shop.git"
          hint="For a private repository, add a deploy key or a token in its Settings before you deploy."
          autocomplete="off"
          spellcheck={false}
        />
        <Field
          label="Image"
          name="image"
          maxLength={512}
          placeholder="ghcr.io/ada/shop:1.4"
          hint="Instead of a Git repository. For a private image, add registry credentials in its Settings before you deploy."
          autocomplete="off"
          spellcheck={false}
        />
        <Field
          label="Branch"
          name="branch"
          hint="Optional. Default: the repository’s default branch."
          autocomplete="off"
        />
        <Field
          label="Root directory"
          name="root_directory"
          placeholder="apps/web"
          hint="Optional. The folder that is built and started. Default: the root of the repository."
          autocomplete="off"
        />
        <Field
          label="Port"
          name="port"
          type="number"
          min={1}
          max={65_535}
          placeholder="3000"
          hint="Your app must listen on the port in the PORT environment variable, which can differ from this one. With an image, leave empty for the port that it exposes."
        />
        <Field
          label="Build command"
          name="build_command"
          placeholder="npm run build"
          hint="Optional"
          autocomplete="off"
        />
        <Field
          label="Start command"
          name="start_command"
          hint="Optional. Default: the web line of a Procfile, the start script of package.json, or a static site."
          autocomplete="off"
        />
        <Field label="Minimum instances" name="min_instances" type="number" min={1} max={20} defaultValue="1" />
        <Field label="Maximum instances" name="max_instances" type="number" min={1} max={20} defaultValue="1" />
        <Field
          label="Health check path"
          name="health_check_path"
          placeholder="/healthz"
          hint="Optional. Default: the port accepts connections."
          autocomplete="off"
        />
        <Select label="Environment" name="environment" options={SCOPES} />
      </Form>
    </CollapsibleSection>
  );
};

const NUMBERS = new Set(['port', 'min_instances', 'max_instances']);

/** The fields that have a value; the API has a default for the others. */
const requestOf = (values: Values): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]),
  );
