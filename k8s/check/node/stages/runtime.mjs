import { demand, print } from '../../../../docker/check/report.mjs';
import { isReady } from '../kubernetes.mjs';
import { deletesEverything } from '../runtime/deletion.mjs';
import { eventually, WebService } from '../runtime/platform.mjs';
import { prepareRuntime } from '../runtime/prepare.mjs';
import { callRegistry } from '../runtime/registries.mjs';
import { sample } from '../runtime/sample.mjs';
import { SteadyRequests } from '../runtime/steady-requests.mjs';

export const name = 'runtime';
export const title =
  'a web service is built in the cluster, deployed, scaled, measured, rolled back, stopped and deleted';

const REQUESTS = 10_000;
const ROLLS = 3;
const REPOSITORY = 'postern/web-services';

const tags = async context => {
  const { text } = await callRegistry(context, 'GET', `/v2/${REPOSITORY}/tags/list`);
  return JSON.parse(text).tags ?? [];
};

const isBuiltAndDeployed = async (context, service) => {
  const first = await service.deploy();
  const [pod] = await service.instances();
  const { image } = pod.spec.containers[0];
  demand(
    'a commit is built by rootless BuildKit in the cluster and pushed to the registry',
    image.includes('@sha256:'),
  );
  demand(
    'the registry has it',
    (await tags(context)).some(tag => tag.endsWith(`.${first.id}`)),
  );
  const { lines } = await service.request('GET', `/deployments/${first.id}/logs`);
  const details = lines.map(({ message }) => message).join('\n');
  demand('the log of the deployment has the output of the build', details.includes('built with everybody'), details);
  const answer = await service.firstAnswer();
  demand('an instance answers through its Service', answer.version === 'one' && answer.greeting === 'everybody');
  const { url } = await service.read();
  demand(`its address is that of the cluster: ${url}`, url === `http://ws-${service.id}.postern-tenants.svc`, url);
  return first;
};

const isObserved = async service => {
  await service.get('/say');
  const { message } = await service.logLine(/the greeting is/);
  demand(
    'its log shows what it writes, with secrets masked',
    message === 'the greeting is everybody, the secret is ********',
    message,
  );
  const usage = await eventually('metrics', () => service.request('GET', '/metrics'), 120_000);
  demand(
    `its metrics come from the metrics server: ${usage.memory.bytes} bytes`,
    usage.memory.bytes > 2 ** 20 && usage.instances === 1,
    JSON.stringify(usage),
  );
};

const takesVariables = async service => {
  await service.request('POST', '/env', { key: 'GREETING', value: 'the world' });
  demand('a changed variable waits for a restart', (await service.get()).greeting === 'everybody');
  await service.restart();
  demand('and is there after it', (await service.get()).greeting === 'the world');
};

const readyInstances = async service => (await service.instances()).filter(isReady).length;
const untilInstances = (service, count, limitMs = 120_000) =>
  eventually(
    `${count} instances`,
    async () => ((await readyInstances(service)) === count ? count : undefined),
    limitMs,
  );

const scalesTo = async (service, count) => {
  await service.request('PATCH', '', { min_instances: count, max_instances: count });
  await untilInstances(service, count);
  demand(`as many instances run as requested: ${count}`, true);
};

/** Keeps the only instance busy until the autoscaler adds another. */
const scalesByItself = async service => {
  await service.request('PATCH', '', { min_instances: 1, max_instances: 2 });
  const address = await service.address();
  let isBusy = true;
  const work = async () => {
    while (isBusy)
      await fetch(`${address}/work`).then(
        answer => answer.text(),
        () => {},
      );
  };
  const workers = [work(), work(), work()];
  try {
    await untilInstances(service, 2, 240_000);
  } finally {
    isBusy = false;
    await Promise.all(workers);
  }
  demand('the autoscaler adds an instance under load, by the metrics of the metrics server', true);
};

const rollsUnderLoad = async service => {
  const requests = new SteadyRequests(await service.address());
  let rolls = 0;
  try {
    await service.deploy();
    rolls++;
    while (requests.count < REQUESTS || rolls < ROLLS) {
      await service.restart();
      rolls++;
    }
  } finally {
    await requests.stop();
  }
  const { count, failures, versions } = requests;
  const kinds = [...Map.groupBy(failures, reason => reason)].map(([reason, { length }]) => `${length} × ${reason}`);
  print(`${count} requests over ${rolls} rolls of two instances, from ${[...versions].join(' to ')}`);
  demand(`0 of ${count} requests failed`, failures.length === 0, kinds.join('; '));
};

const isRolledBack = async (service, first) => {
  const outcome = await service.outcomeOf(await service.request('POST', `/deployments/${first.id}/rollback`, {}));
  demand('a rollback builds nothing and is live', outcome.status === 'live', outcome.error ?? '');
  const { version, greeting } = await service.get();
  demand('the release before answers, with the variables of its time', version === 'one' && greeting === 'everybody');
};

const stopsAndStarts = async service => {
  await service.request('POST', '/stop', {});
  await service.untilStatus('stopped');
  demand('it stops, and no instance is left', (await service.instances()).length === 0);
  await service.request('POST', '/start', {});
  await service.untilStatus('running');
  const { version, greeting } = await service.firstAnswer();
  demand('it starts again without a build, with the variables of today', version === 'one' && greeting === 'the world');
};

const isRefusedADatabase = async ({ state }) => {
  const refusal = await state.operator.request('POST', '/databases', { name: 'orders', kind: 'relational' }).then(
    () => 'it was made',
    error => error.message,
  );
  demand('a database is refused with what to do instead', /CloudNativePG/.test(refusal), refusal);
};

const losesItsImages = async (context, { id }) => {
  await eventually('the end of its images', async () =>
    (await tags(context)).every(tag => !tag.startsWith(`${id}.`)) ? true : undefined,
  );
  demand('its images leave the registry', true);
};

export const run = async context => {
  await prepareRuntime(context);
  const { git } = context.state;
  const url = git.commit('sample', sample('one'));
  const service = await WebService.create(context, { name: 'Sample', git_repository_url: url });
  await service.request('PUT', '/env/bulk', {
    variables: [
      { key: 'GREETING', value: 'everybody' },
      { key: 'PASSWORD', value: 'correct-horse', is_secret: true },
    ],
  });
  const first = await isBuiltAndDeployed(context, service);
  await isObserved(service);
  await takesVariables(service);
  await scalesTo(service, 2);
  git.commit('sample', sample('two'));
  await rollsUnderLoad(service);
  await isRolledBack(service, first);
  await scalesTo(service, 1);
  await stopsAndStarts(service);
  await scalesByItself(service);
  await isRefusedADatabase(context);
  await deletesEverything(context, service);
  await losesItsImages(context, service);
};
