import type { FoundWorkspace, WorkspaceQuotas } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Loaded } from '../../components/loaded.js';
import { Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import type { ListState } from '../../list-state.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { ChangeQuota, QuotaTable } from '../workspace-quotas.js';
import { FoundList } from './found-list.js';

export const FoundWorkspaces = ({ list }: { readonly list: ListState }) => (
  <FoundList<FoundWorkspace>
    path="workspaces"
    caption="All workspaces"
    list={list}
    choose="Quotas"
    form={workspace => <Quotas of={workspace} />}
    columns={[
      { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
      { title: 'Owners', cell: ({ owners }) => owners.join(', ') },
      { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
      {
        title: 'Contents',
        cell: ({ id }) => (
          <>
            <Link to={`/moderation?search=${id}`}>Web services</Link>{' '}
            <Link to={`/moderation?list=email-services&search=${id}`}>Email services</Link>
          </>
        ),
      },
    ]}
  />
);

const Quotas = ({ of: { id, name } }: { readonly of: FoundWorkspace }) => {
  const path = `/workspaces/${id}/quotas`;
  const quotas = useLoading<WorkspaceQuotas>(signal => api.get(path, {}, signal), [path]);
  return (
    <Loaded of={quotas}>
      {current => (
        <>
          <Section title={`Quotas of ${name}`}>
            <QuotaTable quotas={current} />
          </Section>
          <ChangeQuota path={path} quotas={current} onChanged={quotas.replace} />
        </>
      )}
    </Loaded>
  );
};
