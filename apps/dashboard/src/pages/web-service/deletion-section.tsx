import type {
  CronJob,
  CustomDomain,
  Deployment,
  Page as ListPage,
  RepositoryCredentials,
  Variable,
} from '@postern/contracts';
import { api } from '../../api-client.js';
import { DangerZone } from '../../components/danger-zone.js';
import { useLoading } from '../../loading.js';
import { navigate } from '../../router.js';
import { deletedWith } from './deleted-with.js';
import { useWebService } from './web-service-layout.js';

/** The deletion of the web service, with a list of what is deleted. */
export const DeletionSection = () => {
  const { service, path } = useWebService();
  const useList = <Reply,>(resource: string, query = {}): Reply | undefined =>
    useLoading<Reply>(signal => api.get(`${path}/${resource}`, query, signal), [path]).value;
  const goes = deletedWith(service, {
    deployments: useList<ListPage<Deployment>>('deployments', { limit: 1 })?.total,
    variables: useList<Variable[]>('env')?.length,
    domains: useList<CustomDomain[]>('domains')?.map(({ domain }) => domain),
    cronJobs: useList<CronJob[]>('cron-jobs')?.length,
    credentials: useList<RepositoryCredentials>('repository-credentials'),
  });
  const remove = async () => {
    await api.delete(path);
    navigate(`/projects/${service.project_id}`);
  };
  return <DangerZone what="web service" name={service.name} goes={goes} work={remove} />;
};
