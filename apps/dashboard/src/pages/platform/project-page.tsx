import { api } from '../../api-client.js';
import type { Project, WebService } from '../../api-shapes.js';
import { type Loading, useLoading, useRepeated } from '../../loading.js';
import { DataTable } from '../../parts/data-table.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page } from '../../parts/page.js';
import { Link } from '../../router.js';
import { Flags, isMoving } from '../web-service/status.js';
import { NewWebService } from './new-web-service.js';
import { ProjectSecretsSection } from './project-secrets-section.js';

const POLL_MS = 3_000;

export const ProjectPage = ({ projectId }: { readonly projectId: string }) => {
  const project = useLoading<Project>(signal => api.get(`/projects/${projectId}`, {}, signal), [projectId]);
  const services = useLoading<WebService[]>(signal => api.get('/web-services', {}, signal), [projectId]);
  useRepeated(services, services.value?.some(isMoving) ? POLL_MS : undefined);
  return (
    <Loaded of={project}>
      {({ name, description }) => (
        <>
          <p class="crumbs">
            <Link to="/projects">Projects</Link> <span aria-hidden="true">/</span> <strong>{name}</strong>
          </p>
          <Page title={name}>
            {description && <p class="about">{description}</p>}
            <WebServices of={services} projectId={projectId} />
            <NewWebService projectId={projectId} />
            <ProjectSecretsSection projectId={projectId} />
          </Page>
        </>
      )}
    </Loaded>
  );
};

interface WebServicesProps {
  readonly of: Loading<WebService[]>;
  readonly projectId: string;
}

const WebServices = ({ of, projectId }: WebServicesProps) => (
  <Loaded of={of}>
    {all => {
      const list = all.filter(({ project_id }) => project_id === projectId);
      if (list.length === 0) return <Empty>This project has no web service yet.</Empty>;
      return (
        <DataTable
          caption="Web services of this project"
          rows={list}
          keyOf={service => service.id}
          columns={[
            { title: 'Name', cell: service => <Link to={`/web-services/${service.id}`}>{service.name}</Link> },
            { title: 'Status', cell: service => <Flags of={service} /> },
            { title: 'Repository', cell: service => <span class="long">{service.git_repository_url}</span> },
            {
              title: 'Instances',
              numeric: true,
              cell: ({ min_instances: least, max_instances: most }) => (least === most ? least : `${least}–${most}`),
            },
          ]}
        />
      );
    }}
  </Loaded>
);
