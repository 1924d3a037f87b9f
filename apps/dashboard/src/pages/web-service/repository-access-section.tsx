import type { createDeployKey, ReplyOf, RepositoryCredentials } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Field, Form, type Values } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { Section } from '../../components/page.js';
import { useAction, useLoading } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

/** The deploy key and the access token for a private repository. */
export const RepositoryAccessSection = () => {
  const { service, path } = useWebService();
  const credentials = useLoading<RepositoryCredentials>(
    signal => api.get(`${path}/repository-credentials`, {}, signal),
    [path],
  );
  return (
    <Section
      title="Private repository"
      about="A repository over SSH needs a deploy key; a private one over HTTPS needs an access token. Public repositories need neither."
    >
      <Loaded of={credentials}>
        {({ deploy_key, git_token }) =>
          /^https?:/.test(service.git_repository_url ?? '') ? (
            <>
              <TokenForm token={git_token} path={path} reload={credentials.reload} />
              {deploy_key && <DeployKey deployKey={deploy_key} path={path} reload={credentials.reload} />}
            </>
          ) : (
            <>
              <DeployKey deployKey={deploy_key} path={path} reload={credentials.reload} />
              {git_token && <StoredToken token={git_token} path={path} reload={credentials.reload} />}
            </>
          )
        }
      </Loaded>
    </Section>
  );
};

interface PartProps {
  readonly path: string;
  readonly reload: () => void;
}

const DeployKey = ({
  deployKey,
  path,
  reload,
}: PartProps & { readonly deployKey: RepositoryCredentials['deploy_key'] }) => {
  const create = async () => {
    await api.post<ReplyOf<typeof createDeployKey>>(`${path}/deploy-key`);
    reload();
  };
  const remove = async () => {
    await api.delete(`${path}/deploy-key`);
    reload();
  };
  if (!deployKey) return <ActionButton work={create}>Create deploy key</ActionButton>;
  return (
    <>
      <p>Add this public key to the repository as a deploy key with read access.</p>
      <div class="copy-line">
        <code>{deployKey.public_key}</code>
        <CopyButton text={deployKey.public_key} what="the public key" />
      </div>
      {deployKey.host_keys.map(({ host, fingerprint }) => (
        <p key={fingerprint} class="hint">
          Host key of {host}, stored at the first connection: <code>{fingerprint}</code>
        </p>
      ))}
      <ConfirmButton
        question="Replace the deploy key?"
        consequence="Deployments over SSH will fail until you add the new public key to the repository. Stored host keys are deleted."
        confirm="Replace deploy key"
        work={create}
      >
        Replace key
      </ConfirmButton>{' '}
      <ConfirmButton
        question="Delete the deploy key?"
        consequence="Deployments over SSH will fail. The running version is unchanged."
        confirm="Delete deploy key"
        work={remove}
      >
        Delete key
      </ConfirmButton>
    </>
  );
};

type TokenProps = PartProps & { readonly token: RepositoryCredentials['git_token'] };

const TokenForm = ({ token, path, reload }: TokenProps) => {
  const save = useAction(async (values: Values) => {
    const { username = '', token = '' } = values;
    await api.put(`${path}/git-token`, { token, ...(username !== '' && { username }) });
    reload();
  });
  return (
    <>
      <Form action={save} submit={token ? 'Replace token' : 'Save token'} class="pairs">
        <Field
          label="User name"
          name="username"
          maxLength={255}
          defaultValue={token?.username ?? ''}
          hint="Optional. Most Git hosts accept any user name with a token."
          autocomplete="off"
          spellcheck={false}
        />
        <Field
          label="Access token"
          name="token"
          type="password"
          required
          minLength={8}
          maxLength={4096}
          hint="Needs read access to the repository. You won’t be able to see it again."
          autocomplete="off"
        />
      </Form>
      {token && <StoredToken token={token} path={path} reload={reload} />}
    </>
  );
};

const StoredToken = ({ token, path, reload }: PartProps & { readonly token: NonNullable<TokenProps['token']> }) => {
  const remove = async () => {
    await api.delete(`${path}/git-token`);
    reload();
  };
  return (
    <p>
      A token of {token.username} is stored for {token.host || 'the local repository'} and sent to no other host.{' '}
      <ConfirmButton
        question="Delete the access token?"
        consequence="Deployments of a private repository over HTTPS will fail. The running version is unchanged."
        confirm="Delete token"
        work={remove}
      >
        Delete token
      </ConfirmButton>
    </p>
  );
};
