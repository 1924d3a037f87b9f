import type { Project, WebService } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Breadcrumbs } from '../../components/breadcrumbs.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page } from '../../components/page.js';
import { type Loading, useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { StatusBadges } from '../web-service/status.js';
import { NewWebService } from './new-web-service.js';
import { ProjectSecretsSection } from './project-secrets-section.js';
import { ProjectSettings } from './project-settings.js';

export const ProjectPage = ({ projectId }: { readonly projectId: string }) => {
  const project = useLoading<Project>(signal => api.get(`/projects/${projectId}`, {}, signal), [projectId]);
  const services = useLoading<WebService[]>(signal => api.get('/web-services', {}, signal), [projectId]);
  useLive(services);
  return (
    <Loaded of={project} title="Project">
      {({ name, description, ...rest }) => (
        <>
          <Breadcrumbs above={[['/projects', 'Projects']]} current={name} />
          <Page title={name}>
            {description && <p class="about">{description}</p>}
            <NewWebService projectId={projectId} open={isEmpty(services, projectId)} />
            <WebServices of={services} projectId={projectId} />
            <ProjectSecretsSection projectId={projectId} />
            <ProjectSettings project={{ name, description, ...rest }} services={services} reload={project.reload} />
          </Page>
        </>
      )}
    </Loaded>
  );
};

const isEmpty = ({ value }: Loading<WebService[]>, projectId: string): boolean =>
  value !== undefined && !value.some(({ project_id }) => project_id === projectId);

interface WebServicesProps {
  readonly of: Loading<WebService[]>;
  readonly projectId: string;
}

const WebServices = ({ of, projectId }: WebServicesProps) => (
  <Loaded of={of}>
    {all => {
      const list = all.filter(({ project_id }) => project_id === projectId);
      if (list.length === 0) return <EmptyState>No web services yet. Create one above.</EmptyState>;
      return (
        <DataTable
          caption="Web services of this project"
          rows={list}
          keyOf={service => service.id}
          columns={[
            { title: 'Name', cell: service => <Link to={`/web-services/${service.id}`}>{service.name}</Link> },
            { title: 'Status', cell: service => <StatusBadges of={service} /> },
            {
              title: 'Source',
              cell: service => <span class="long">{service.image ?? service.git_repository_url}</span>,
            },
            {
              title: 'Instances',
              numeric: true,
              cell: ({ min_instances: min, max_instances: max }) => (min === max ? min : `${min}–${max}`),
            },
          ]}
        />
      );
    }}
  </Loaded>
);
