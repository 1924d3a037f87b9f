import type { WebService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Form, type Values } from '../../components/form.js';
import { CollapsibleSection } from '../../components/page.js';
import { useAction } from '../../loading.js';
import { navigate } from '../../router.js';
import { SettingInput } from '../web-service/setting-fields.js';
import { changesOf } from '../web-service/settings.js';

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
        <SettingInput name="name" />
        <SettingInput
          name="git_repository_url"
          required={false}
          placeholder="https://git.example.com/shop.git"
          hint="For a private repository, add a deploy key or a token in its Settings before you deploy."
        />
        <SettingInput
          name="image"
          required={false}
          placeholder="ghcr.io/ada/shop:1.4"
          hint="Instead of a Git repository. For a private image, add registry credentials in its Settings before you deploy."
        />
        <SettingInput name="branch" />
        <SettingInput name="root_directory" placeholder="apps/web" />
        <SettingInput
          name="port"
          placeholder="3000"
          hint="Your app must listen on the port in the PORT environment variable, which can differ from this one. With an image, leave empty for the port that it exposes."
        />
        <SettingInput name="build_command" placeholder="npm run build" />
        <SettingInput
          name="start_command"
          hint="Optional. Default: the web line of a Procfile, the start script of package.json, or a static site."
        />
        <SettingInput name="min_instances" value="1" />
        <SettingInput name="max_instances" value="1" />
        <SettingInput name="health_check_path" placeholder="/healthz" />
        <SettingInput name="environment" />
      </Form>
    </CollapsibleSection>
  );
};

/** The settings that have a value; the API has a default for the others. */
const requestOf = (values: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(changesOf(values)).filter(([, value]) => value !== null && value !== ''));
