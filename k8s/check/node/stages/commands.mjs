import { demand } from '../../../../docker/check/report.mjs';
import { deletesEverything } from '../runtime/deletion.mjs';
import { killNine, untilServing } from '../runtime/kill.mjs';
import { eventually, WebService } from '../runtime/platform.mjs';
import { prepareRuntime } from '../runtime/prepare.mjs';
import { sample } from '../runtime/sample.mjs';

export const name = 'commands';
export const title = 'release commands, one-off commands, processes and limits of a web service';

const files = () => ({
  ...sample('one'),
  Procfile: 'web: node server.cjs\nworker: node worker.cjs\n',
  'worker.cjs': `console.log('works for ' + process.env.GREETING); setInterval(() => {}, 1000);`,
});

const ended = (service, { id }) =>
  eventually(
    'the end of a command',
    async () => {
      const run = await service.request('GET', `/runs/${id}`);
      return ['queued', 'running'].includes(run.status) ? undefined : run;
    },
    180_000,
  );

const messagesOf = ({ lines = [] }) => lines.map(({ message }) => message);

const releases = async service => {
  await service.request('PATCH', '', { release_command: 'echo "migrates for $GREETING"' });
  const { id } = await service.deploy();
  const { lines } = await service.request('GET', `/deployments/${id}/logs`);
  const times = messagesOf({ lines }).filter(message => message === 'migrates for everybody').length;
  demand('a release command runs once before the instances start', times === 1, JSON.stringify(lines));
  await service.request('PATCH', '', { release_command: 'echo "no such table" >&2; exit 4' });
  const failed = await service.outcomeOf(await service.requestDeployment());
  demand(
    `a release command that fails reports why: ${failed.error}`,
    failed.status === 'failed' && /exited with code 4\nno such table/.test(failed.error),
  );
  demand('the release before still answers', (await service.get()).version === 'one');
  await service.request('PATCH', '', { release_command: null });
};

const runsCommands = async (context, service) => {
  const run = command => service.request('POST', '/runs', { command });
  const hello = await ended(service, await run('echo "hello $GREETING"; exit 3'));
  demand(
    `a one-off command ends with its exit code: ${hello.status}, ${hello.exit_code}`,
    hello.exit_code === 3 && messagesOf(hello).includes('hello everybody'),
    JSON.stringify(hello),
  );
  const slow = await run('echo begun; sleep 20; echo finished');
  await eventually('its first line', async () =>
    messagesOf(await service.request('GET', `/runs/${slow.id}`)).includes('begun') ? true : undefined,
  );
  await Promise.all(['runtime-agent', 'platform-management'].map(victim => killNine(context, victim)));
  for (const victim of ['runtime-agent', 'platform-management']) await untilServing(context, victim);
  const end = await ended(service, slow);
  demand(
    'a command continues after a kill -9 of runtime-agent and platform-management, and runs once',
    end.status === 'succeeded' && messagesOf(end).filter(message => message === 'finished').length === 1,
    JSON.stringify(end),
  );
  const endless = await run('sleep 600');
  await eventually('its pod', async () => {
    const pods = await context.cluster.pods('postern-tenants', `postern.dev/command=${endless.id}`);
    return pods.some(({ status }) => status.phase === 'Running') ? true : undefined;
  });
  await service.request('DELETE', `/runs/${endless.id}`);
  const cancelled = await ended(service, endless);
  const pods = await context.cluster.pods('postern-tenants', `postern.dev/command=${endless.id}`);
  demand(
    `a command is ended, and its pod with it: ${cancelled.status}`,
    cancelled.status === 'cancelled' && pods.length === 0,
    JSON.stringify(cancelled),
  );
};

const runsProcesses = async (context, service) => {
  await service.request('PATCH', '', { processes: { worker: 2 } });
  await service.restart();
  const workers = () => context.cluster.pods('postern-tenants', `postern.dev/process-of=${service.id}`);
  await eventually('two workers', async () => ((await workers()).length === 2 ? true : undefined));
  await service.logLine(/works for everybody/);
  demand('processes of the Procfile run beside the instances, and write to its log', true);
  const processes = await eventually('their status', async () => {
    const found = (await service.request('GET', '/processes')).find(({ type }) => type === 'worker');
    return found?.running === 2 ? found : undefined;
  });
  demand('the API reports how many run', processes.running === 2, JSON.stringify(processes));
  const { endpoints } = (
    await context.cluster.api(
      'GET',
      `/apis/discovery.k8s.io/v1/namespaces/postern-tenants/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dws-${service.id}`,
    )
  ).items[0];
  demand('and none of them gets traffic', endpoints.length === 1, JSON.stringify(endpoints));
};

const hasLimits = async service => {
  await service.request('PATCH', '', { instance: { memory_mib: 256, cpu_millicores: 300 }, drain_seconds: 7 });
  await service.restart();
  const [{ spec }] = await service.instances();
  const { limits } = spec.containers[0].resources;
  demand(
    `its instances have the limits of the service: ${limits.memory}, ${limits.cpu}`,
    limits.memory === '256Mi' && limits.cpu === '300m',
  );
  demand('and the time that it gives its requests', spec.terminationGracePeriodSeconds >= 7);
};

export const run = async context => {
  await prepareRuntime(context);
  const url = context.state.git.commit('commands', files());
  const service = await WebService.create(context, { name: 'Commands', git_repository_url: url });
  await service.request('PUT', '/env/bulk', { variables: [{ key: 'GREETING', value: 'everybody' }] });
  await releases(service);
  await runsCommands(context, service);
  await runsProcesses(context, service);
  await hasLimits(service);
  await deletesEverything(context, service);
};
