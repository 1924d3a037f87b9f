import type { createDeployHook, DeployHook, ReplyOf, WebService } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { ApiError, api } from '../../api-client.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Switch } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { ErrorNotice } from '../../components/notice.js';
import { OneTimeSecret } from '../../components/one-time-secret.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { NO_VALUE } from '../../formatting.js';
import { useAction, useLoading } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

type CreatedHook = ReplyOf<typeof createDeployHook>;

/** The deploy hook of a web service, by which pushes to its repository deploy it. */
export const DeployHookSection = () => {
  const { service, path, reload } = useWebService();
  const [created, setCreated] = useState<CreatedHook>();
  const hook = useLoading<DeployHook | null>(signal => hookOf(`${path}/deploy-hook`, signal), [path]);
  const create = async () => {
    setCreated(await api.post<CreatedHook>(`${path}/deploy-hook`));
    hook.reload();
  };
  const remove = async () => {
    await api.delete(`${path}/deploy-hook`);
    setCreated(undefined);
    hook.reload();
  };
  const toggle = useAction(async (changes: Partial<Pick<WebService, 'auto_deploy' | 'previews'>>) => {
    await api.patch<WebService>(path, changes);
    reload();
  });
  return (
    <Section
      title="Deploy hook"
      about="Add the URL and the secret as a push webhook at GitHub, GitLab, Gitea, Forgejo or Bitbucket. A POST to the URL without an event also deploys."
    >
      {created && <NewHook hook={created} onSaved={() => setCreated(undefined)} />}
      <Loaded of={hook}>
        {found =>
          found ? (
            <>
              <ErrorNotice error={toggle.error} />
              <Switch
                label="Deploy on push"
                about="When off, pushes are recorded but not deployed."
                on={service.auto_deploy}
                busy={toggle.busy}
                onSwitch={on => toggle.run({ auto_deploy: on })}
              />
              {!service.preview_of && (
                <Switch
                  label="Previews"
                  about="When on, each pull or merge request into the deployed branch gets a web service of its own with the staging secrets. Add the pull request events to the webhook at your Git host."
                  on={service.previews}
                  busy={toggle.busy}
                  onSwitch={on => toggle.run({ previews: on })}
                />
              )}
              <Deliveries of={found} />
              <ConfirmButton
                question="Replace the URL and the secret?"
                consequence="The current URL stops working. Enter the new one at your Git host."
                confirm="Replace URL and secret"
                class="quiet"
                work={create}
              >
                Replace URL and secret
              </ConfirmButton>{' '}
              <ConfirmButton
                question="Delete the deploy hook?"
                consequence="Its URL stops working. Pushes no longer deploy this web service."
                confirm="Delete deploy hook"
                work={remove}
              >
                Delete
              </ConfirmButton>
            </>
          ) : (
            <ActionButton work={create}>Create deploy hook</ActionButton>
          )
        }
      </Loaded>
    </Section>
  );
};

const NewHook = ({ hook, onSaved }: { readonly hook: CreatedHook; readonly onSaved: () => void }) => (
  <>
    <OneTimeSecret title="URL of the deploy hook" secret={hook.url} what="the URL" onSaved={onSaved} />
    <OneTimeSecret title="Secret of the deploy hook" secret={hook.secret} what="the secret" onSaved={onSaved} />
  </>
);

const Deliveries = ({ of: { deliveries } }: { readonly of: DeployHook }) =>
  deliveries.length === 0 ? (
    <EmptyState>No calls yet. Add the URL and the secret at your Git host, then push.</EmptyState>
  ) : (
    <DataTable
      caption="Last calls of the deploy hook, newest first"
      rows={deliveries}
      keyOf={delivery => delivery.at}
      columns={[
        { title: 'Time', cell: ({ at }) => <Time at={at} /> },
        { title: 'Outcome', cell: ({ outcome }) => outcome },
        { title: 'Reason', cell: ({ reason }) => reason ?? NO_VALUE },
      ]}
    />
  );

/** Null for a web service without a hook. */
const hookOf = async (path: string, signal: AbortSignal): Promise<DeployHook | null> => {
  try {
    return await api.get<DeployHook>(path, {}, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
};
