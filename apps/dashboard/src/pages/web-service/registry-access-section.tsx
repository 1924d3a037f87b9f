import type { RepositoryCredentials } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { Section } from '../../components/page.js';
import { useAction, useLoading } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

/** The credentials for the registry of a private image. */
export const RegistryAccessSection = () => {
  const { path } = useWebService();
  const credentials = useLoading<RepositoryCredentials>(
    signal => api.get(`${path}/repository-credentials`, {}, signal),
    [path],
  );
  const save = useAction(async ({ username = '', password = '' }: Values) => {
    await api.put(`${path}/registry-credentials`, { username, password });
    credentials.reload();
  });
  const remove = async () => {
    await api.delete(`${path}/registry-credentials`);
    credentials.reload();
  };
  return (
    <Section title="Private image" about="A private image needs credentials of its registry. Public images need none.">
      <Loaded of={credentials}>
        {({ registry }) => (
          <>
            <Form action={save} submit={registry ? 'Replace credentials' : 'Save credentials'} class="pairs">
              <Field
                label="User name"
                name="username"
                required
                maxLength={255}
                defaultValue={registry?.username ?? ''}
                autocomplete="off"
                spellcheck={false}
              />
              <Field
                label="Password or access token"
                name="password"
                type="password"
                required
                minLength={8}
                maxLength={4096}
                hint="Needs permission to pull the image. You won’t be able to see it again."
                autocomplete="off"
              />
            </Form>
            {registry && (
              <p>
                Credentials of {registry.username} are stored for {registry.host} and sent to no other registry.{' '}
                <ConfirmButton
                  question="Delete the registry credentials?"
                  consequence="Deployments of a private image will fail. The running version is unchanged."
                  confirm="Delete credentials"
                  work={remove}
                >
                  Delete credentials
                </ConfirmButton>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
};
