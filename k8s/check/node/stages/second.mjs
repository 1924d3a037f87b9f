import { demand } from '../../../../docker/check/report.mjs';
import { SERVICES } from '../../helm.mjs';
import { helmIn } from '../helm.mjs';
import { isReady } from '../kubernetes.mjs';
import { makeSender, Operator } from '../mail-client.mjs';
import { addVolume } from '../volumes.mjs';
import { TRIAL_SETTINGS } from './install.mjs';

export const name = 'second';
export const title = 'a second installation runs beside the first, and is uninstalled';

const NAMESPACE = 'second';
const TENANTS = 'second-tenants';

const install = context =>
  helmIn(
    context,
    ...['upgrade', '--install', 'second', 'k8s/charts/postern', '--namespace', NAMESPACE, '--create-namespace'],
    ...['installation', 'trial'].flatMap(file => ['-f', `k8s/examples/${file}.yaml`]),
    ...TRIAL_SETTINGS,
    ...['--set', `global.tenantNamespace=${TENANTS}`, '--wait', '--timeout', '8m'],
  );

const namesOf = async ({ cluster }, kinds, namespace) => {
  const printed = await cluster.kubectl('get', kinds, '--namespace', namespace, '--output', 'name');
  return printed.trim().split('\n').filter(Boolean);
};

export const run = async context => {
  const { cluster, state } = context;
  await addVolume(context, 'second-postgresql', '8Gi');
  await addVolume(context, 'second-nats', '4Gi');
  await install(context);
  const pods = (await cluster.pods(NAMESPACE)).filter(({ status }) => status.phase !== 'Succeeded');
  demand(`its ${pods.length} pods are ready`, pods.length === SERVICES.length + 2 && pods.every(isReady));
  const operator = await Operator.signIn(context, NAMESPACE);
  const sender = await makeSender(operator, 'second@customer.test');
  const answer = await sender.send('From the second installation');
  demand('it sends a message', answer.status === 200 && answer.body.status === 'sent', answer.text);
  const foreign = await state.operator.request('GET', sender.path).then(
    () => 'found',
    error => error.message,
  );
  demand('the first knows nothing of its email service', foreign.includes('404'), foreign);

  await helmIn(context, 'uninstall', 'second', '--namespace', NAMESPACE, '--wait', '--timeout', '4m');
  const left = await namesOf(context, 'deployments,statefulsets,services,jobs,networkpolicies,roles', NAMESPACE);
  demand('uninstalling leaves nothing that runs', left.length === 0, left.join());
  const kept = await namesOf(context, 'secrets,persistentvolumeclaims', NAMESPACE);
  demand(
    'its keys and its data stay',
    ['secret/postern-links', 'persistentvolumeclaim/data-postern-postgresql-0'].every(each => kept.includes(each)),
    kept.join(),
  );
  const first = await state.sender.send('Beside a second installation');
  demand('the first still sends', first.status === 200, first.text);
  await cluster.kubectl('delete', 'namespace', NAMESPACE, TENANTS, '--wait=false');
};
