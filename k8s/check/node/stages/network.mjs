import { createServer } from 'node:net';
import { demand } from '../../../../docker/check/report.mjs';
import { SERVICES } from '../../helm.mjs';
import { RELEASE, serviceImage } from '../images/images.mjs';
import { isReady } from '../kubernetes.mjs';
import { METADATA_ADDRESS, NODE_ADDRESS, PUBLIC_ADDRESS } from '../settings.mjs';

export const name = 'network';
export const title = 'each pod reaches what the NetworkPolicies of the charts allow, and nothing else';

/**
 * Connects to each target in its argument, and prints the names of those that accept. Policies reject actively, so a timeout
 * is an error of the check.
 */
const CONNECT = `
const { connect } = require('node:net');
const tried = JSON.parse(process.argv[1]).map(([name, host, port]) => new Promise(resolve => {
  const socket = connect({ host, port, timeout: 30000 });
  const end = accepted => { socket.destroy(); resolve(accepted); };
  socket.once('connect', () => end([name])).once('timeout', () => end([name + ' (no answer)'])).once('error', () => end([]));
}));
Promise.all(tried).then(found => console.log(JSON.stringify(found.flat())));
`;
const LISTEN = `require('node:net').createServer().listen(8080); process.on('SIGTERM', () => process.exit());`;

/** Targets that each service may reach. Relay addresses are unrestricted, so the bounce listener is also reachable. */
const SERVICE_REACHES = {
  'api-gateway': ['NATS'],
  'email-send': ['NATS', 'PostgreSQL', 'bounce listener', 'relay'],
  'delivery-tracking': ['NATS', 'PostgreSQL'],
  'webhook-dispatch': ['NATS', 'PostgreSQL', 'public address'],
  'platform-management': ['NATS', 'PostgreSQL'],
  'runtime-agent': ['NATS', 'Kubernetes API', 'registry'],
};
/** Public ports of Postern. */
const PUBLIC = ['gateway', 'bounce listener'];
const OUTSIDE = ['Kubernetes API', 'kubelet', 'relay', 'registry', 'public address'];
const METADATA = 'metadata of a cloud';
const TENANT = 'pod of a tenant';

const selectorOf = service => `app.kubernetes.io/name=${service},app.kubernetes.io/component=service`;

const podOf = async ({ cluster }, namespace, selector) =>
  (await cluster.pods(namespace, selector)).find(pod => isReady(pod) && !pod.metadata.deletionTimestamp);

/** Pod addresses, because policies apply after the translation of Service addresses. */
export const targetsOf = async context => {
  const address = async (selector, namespace = 'postern') => (await podOf(context, namespace, selector)).status.podIP;
  const operatorPorts = SERVICES.map(async service => [
    `operator port of ${service}`,
    await address(selectorOf(service)),
    9090,
  ]);
  return [
    ['NATS', await address('app.kubernetes.io/name=postern-nats'), 4222],
    ['monitor of NATS', await address('app.kubernetes.io/name=postern-nats'), 8222],
    ['PostgreSQL', await address('app.kubernetes.io/name=postern-postgresql'), 5432],
    ['gateway', await address(selectorOf('api-gateway')), 8080],
    ['bounce listener', await address(selectorOf('delivery-tracking')), 2525],
    ...(await Promise.all(operatorPorts)),
    ['Kubernetes API', NODE_ADDRESS, 6443],
    ['kubelet', NODE_ADDRESS, 10_250],
    ['relay', NODE_ADDRESS, 2525],
    ['registry', NODE_ADDRESS, 443],
    ['public address', PUBLIC_ADDRESS, 8443],
    [METADATA, METADATA_ADDRESS, 80],
    [TENANT, await address('check=neighbour', 'postern-tenants'), 8080],
  ];
};

/** A pod that only listens. */
export const addPod = async ({ cluster }, namespace, role = 'network') => {
  const container = { name: 'listen', image: serviceImage('email-send', RELEASE), command: ['node', '-e', LISTEN] };
  const labels = { check: role };
  cluster.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `check-${role}`, namespace, labels },
      spec: { automountServiceAccountToken: false, terminationGracePeriodSeconds: 1, containers: [container] },
    },
  );
  await cluster.untilReady(namespace, `check=${role}`);
};

/** An unused port. */
export const SILENT = [
  [PUBLIC_ADDRESS, 8443],
  [METADATA_ADDRESS, 80],
];

export const listenOutside = addresses =>
  Promise.all(
    addresses.map(
      ([host, port]) =>
        new Promise((resolve, reject) => {
          const server = createServer(socket => socket.end()).once('error', reject);
          server.listen(port, host, () => resolve(server));
        }),
    ),
  );

/** Excludes the pod's own address, whose traffic does not pass through the node. */
const demandReach = async ({ cluster }, who, { metadata, status }, all, allowed) => {
  const targets = all.filter(([, host]) => host !== status.podIP);
  const command = ['node', '-e', CONNECT, JSON.stringify(targets)];
  const printed = await cluster.exec(metadata.namespace, metadata.name, ...command);
  const found = JSON.parse(printed).toSorted();
  const expected = allowed.toSorted();
  const details = `reached: ${found.join(', ')}; expected: ${expected.join(', ')}`;
  demand(`${who} reaches ${expected.join(', ')} of ${targets.length} targets`, `${found}` === `${expected}`, details);
};

export const run = async context => {
  const { cluster } = context;
  for (const namespace of ['postern-tenants', 'strangers']) await addPod(context, namespace);
  await addPod(context, 'postern-tenants', 'neighbour');
  const servers = await listenOutside([...SILENT, [NODE_ADDRESS, 443]]);
  try {
    const targets = await targetsOf(context);
    const reaches = async (who, [namespace, selector], allowed) =>
      demandReach(context, who, await podOf(context, namespace, selector), targets, allowed);
    for (const [service, allowed] of Object.entries(SERVICE_REACHES))
      await reaches(service, ['postern', selectorOf(service)], allowed);
    const everything = [...PUBLIC, ...OUTSIDE, METADATA, TENANT];
    await reaches('a pod of another namespace', ['strangers', 'check=network'], everything);
    await reaches("a tenant's pod", ['postern-tenants', 'check=network'], ['gateway', 'public address']);
  } finally {
    for (const server of servers) server.close();
  }
  for (const pod of ['check-network', 'check-neighbour'])
    await cluster.kubectl('delete', 'pod', pod, '--namespace', 'postern-tenants', '--now');
  await cluster.kubectl('delete', 'namespace', 'strangers');
};
