import { waitFor } from '@postern/testing';
import type { PlatformWorld, Service } from '../platform/platform-world.js';
import { headOf, sendPullRequestEvent } from '../platform/pull-request.js';
import { webApp } from '../platform/repository.js';

type Reply = Readonly<Record<string, unknown>>;

/** Creates a deployed web service with all its resources and a database of each kind. @returns the paths of their pages. */
export async function createPlatformContent(platform: PlatformWorld): Promise<readonly string[]> {
  const { world, writer } = platform;
  const call = async (method: string, path: string, body: unknown): Promise<Reply> => {
    const { status, body: reply } = await world.callDashboardApi(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(reply)}`);
    return reply;
  };
  const post = (path: string, body: unknown) => call('POST', path, body);
  const put = (path: string, body: unknown) => call('PUT', path, body);
  const until = (path: string, isReached: (reply: Reply) => boolean) =>
    waitFor(async () => isReached((await world.callDashboardApi('GET', path)).body), {
      timeoutMs: 120_000,
      intervalMs: 300,
      describe: `the state of ${path}`,
    });

  const service = await platform.service(webApp('one'), { branch: 'main', previews: true });
  await writer.post(`${service.path}/env`, { key: 'TOKEN', value: 'hidden', is_secret: true });
  await writer.post(`/projects/${service.projectId}/secrets`, { key: 'SHARED', value: 'hidden' });
  const deployment = await service.deploy();
  const run = await post(`${service.path}/runs`, { command: 'echo migrated; exit 3' });
  await until(`${service.path}/runs/${run['id']}`, ({ finished_at }) => finished_at !== null);
  await post(`${service.path}/domains`, { domain: 'shop.example.com' });
  await post(`${service.path}/deploy-key`, {});
  const cronJob = await post(`${service.path}/cron-jobs`, {
    ...{ name: 'nightly', schedule: '0 3 * * *', time_zone: 'UTC', command: 'true', overlap: 'skip' },
    time_limit_seconds: 60,
  });
  const key = await post('/platform-keys', { name: 'CI', scope: 'write', projects: [service.projectId] });
  const empty = await platform.service(webApp('empty'));
  const preview = await openPullRequest(service);
  await post(`${service.path}/log-drains`, {
    ...{ kind: 'https', url: 'https://127.0.0.1:9/lines' },
    headers: { 'X-Scope': 'shop' },
  });
  for (const kind of ['webhook', 'slack'])
    await post('/notification-targets', { kind, url: `https://127.0.0.1:9/${kind}` });
  const image = await post('/web-services', {
    ...{ project_id: service.projectId, name: 'image', image: 'registry.example.com/shop:1', port: 8080 },
  });
  await put(`/web-services/${image['id']}/registry-credentials`, { username: 'shop', password: 'hidden-password' });

  const databases: unknown[] = [];
  for (const kind of ['relational', 'key_value']) {
    const { id } = await post('/databases', { name: `orders-${kind.replace('_', '-')}`, kind, plan: 'starter' });
    await until(`/databases/${id}`, ({ status }) => status === 'running');
    databases.push(id);
  }
  await post(`/databases/${databases[0]}/attachments`, { web_service_id: service.id });
  await post(`/databases/${databases[0]}/backups`, {});

  const web = `/web-services/${service.id}`;
  return [
    web,
    ...['deployments', 'logs', 'runs', 'environment', 'settings'].map(page => `${web}/${page}`),
    `${web}/deployments/${deployment.id}`,
    `${web}/runs/${run['id']}`,
    `${web}/cron-jobs/${cronJob['id']}`,
    `/platform-keys/${key['id']}`,
    ...['', '/deployments', '/logs', '/runs'].map(page => `/web-services/${empty.id}${page}`),
    ...['', '/settings'].flatMap(page => [`/web-services/${preview}${page}`, `/web-services/${image['id']}${page}`]),
    '/projects',
    `/projects/${service.projectId}`,
    '/databases',
    ...databases.map(id => `/databases/${id}`),
  ];
}

/** Opens a pull request. @returns the id of its preview. */
const openPullRequest = async (service: Service): Promise<string> => {
  const { repository, caller, path } = service;
  repository.git('switch', '-q', '-c', 'feature');
  repository.commit(webApp('a feature'));
  const { body: hook } = await caller.post(`${path}/deploy-hook`);
  await sendPullRequestEvent(hook, { action: 'opened', commit: headOf(repository), updatedAt: new Date() });
  return waitFor(
    async () => {
      const all = (await caller.get('/web-services')).body as unknown as Record<string, unknown>[];
      const found = all.find(({ preview_of }) => preview_of === service.id)?.['id'];
      return found === undefined ? undefined : String(found);
    },
    { timeoutMs: 30_000, intervalMs: 200, describe: 'the preview of the pull request' },
  );
};
