import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { Deployment, Page as ListPage } from '../../api-shapes.js';
import { asSentence, formatSpan, NOTHING } from '../../formatting.js';
import { useAction, useLoading, useRepeated } from '../../loading.js';
import { ConfirmButton } from '../../parts/action-button.js';
import { Badge } from '../../parts/badge.js';
import { DataTable } from '../../parts/data-table.js';
import { Field, Form, type Values } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page, Section } from '../../parts/page.js';
import { Paging } from '../../parts/paging.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../router.js';
import { useWebService } from './web-service-frame.js';

const ACTIVE: ReadonlySet<Deployment['status']> = new Set(['queued', 'building', 'releasing']);
const REPLACED: ReadonlySet<Deployment['status']> = new Set(['superseded', 'rolled_back']);
const POLL_MS = { active: 1_500, over: 15_000 };

export const DeploymentsPage = () => {
  const open = useWebService();
  const path = `${open.path}/deployments`;
  const [offset, setOffset] = useState(0);
  const deployments = useLoading<ListPage<Deployment>>(
    signal => api.get(path, { offset, limit: 10 }, signal),
    [path, offset],
  );
  const active = deployments.value?.items.some(({ status }) => ACTIVE.has(status));
  useRepeated(deployments, active ? POLL_MS.active : POLL_MS.over);
  const act = async (call: string, body?: object) => {
    await api.post<Deployment>(`${path}${call}`, body);
    deployments.reload();
    open.reload();
  };
  const deploy = useAction(({ branch }: Values) => act('', branch ? { branch } : {}));
  return (
    <Page title="Deployments">
      <Section
        title="Deploy"
        about="Builds the newest commit and replaces what runs once the new instances answer. Logs tell how it goes."
        actions={<Link to={`${open.path}/logs`}>To the logs</Link>}
      >
        <Form action={deploy} submit="Deploy" class="line" keeps>
          <Field
            label="Branch"
            name="branch"
            maxLength={255}
            placeholder={open.service.branch ?? 'The repository’s default'}
            autocomplete="off"
            spellcheck={false}
          />
        </Form>
      </Section>
      <Loaded of={deployments}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <Empty>Nothing has been deployed yet.</Empty>
            ) : (
              <Deployments list={page.items} act={act} />
            )}
            <Paging page={page} onOffset={setOffset} />
          </>
        )}
      </Loaded>
    </Page>
  );
};

interface DeploymentsProps {
  readonly list: readonly Deployment[];
  readonly act: (call: string) => Promise<void>;
}

const Deployments = ({ list, act }: DeploymentsProps) => (
  <DataTable
    caption="Deployments, newest first"
    rows={list}
    keyOf={deployment => deployment.id}
    columns={[
      {
        title: 'Status',
        cell: ({ status, error }) => (
          <>
            <Badge status={status} />
            {error && <p class="hint long">{asSentence(error)}</p>}
          </>
        ),
      },
      {
        title: 'Commit',
        cell: ({ commit, branch, rollback_of }) => (
          <>
            <code>{commit?.slice(0, 10) ?? NOTHING}</code> {branch}
            {rollback_of && <p class="hint">Rollback</p>}
          </>
        ),
      },
      { title: 'Created', cell: deployment => <Time at={deployment.created_at} /> },
      {
        title: 'Took',
        numeric: true,
        cell: ({ started_at, finished_at }) =>
          started_at && finished_at ? formatSpan(started_at, finished_at) : NOTHING,
      },
      { title: 'What to do', buttons: true, cell: deployment => <Choices of={deployment} act={act} /> },
    ]}
  />
);

interface ChoicesProps {
  readonly of: Deployment;
  readonly act: (call: string) => Promise<void>;
}

const Choices = ({ of: { id, status, commit, started_at }, act }: ChoicesProps) => {
  if (ACTIVE.has(status))
    return (
      <ConfirmButton
        question="Cancel this deployment?"
        consequence="Its build is ended. What runs goes on."
        confirm="Cancel the deployment"
        work={() => act(`/${id}/cancel`)}
      >
        Cancel
      </ConfirmButton>
    );
  // One that was overtaken in the queue has built nothing that could be released again.
  if (!REPLACED.has(status) || started_at === null) return null;
  return (
    <ConfirmButton
      class="quiet"
      label={`Roll back to ${commit?.slice(0, 10) ?? id}`}
      question={`Roll back to ${commit?.slice(0, 10) ?? 'this deployment'}?`}
      consequence="What it built is released again with the environment of then, without a new build."
      confirm="Roll back"
      work={() => act(`/${id}/rollback`)}
    >
      Roll back
    </ConfirmButton>
  );
};
