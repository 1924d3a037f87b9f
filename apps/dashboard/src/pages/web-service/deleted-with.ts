import type { RepositoryCredentials, WebService } from '@postern/contracts';
import { counted } from '../../formatting.js';

/** The resources of a web service; undefined while they are loading. */
interface Contents {
  readonly deployments?: number | undefined;
  readonly variables?: number | undefined;
  readonly domains?: readonly string[] | undefined;
  readonly cronJobs?: number | undefined;
  readonly credentials?: RepositoryCredentials | undefined;
}

/** The resources that the deletion of a web service deletes, one line each. */
export const deletedWith = (service: Pick<WebService, 'url' | 'disk'>, contents: Contents): string[] => {
  const { deployments = 0, variables = 0, domains = [], cronJobs = 0, credentials } = contents;
  return [
    ...(service.url ? [`its address ${service.url}`] : []),
    ...(domains.length > 0 ? [`${counted(domains.length, 'custom domain')}: ${domains.join(', ')}`] : []),
    `${counted(deployments, 'deployment')} with ${deployments === 1 ? 'its build' : 'their builds'}`,
    counted(variables, 'variable'),
    ...(cronJobs > 0 ? [`${counted(cronJobs, 'cron job')} with ${cronJobs === 1 ? 'its' : 'their'} runs`] : []),
    ...(credentials?.deploy_key ? ['its deploy key: remove the public key from the repository as well'] : []),
    ...(credentials?.git_token ? ['its access token for the repository: revoke it at the Git host as well'] : []),
    ...(credentials?.registry ? ['its registry credentials: revoke them at the registry as well'] : []),
    'its deploy hook, if there is one',
    'its attachments to databases; the databases are kept',
    'its running instances and commands, logs, metrics and build cache',
    ...(service.disk ? ['its disk with all files and backups'] : []),
  ];
};
