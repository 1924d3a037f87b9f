/** A manual installation: creates its Secrets, assigns its load balancer address, and waits for its rollouts. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from './runtime/platform.mjs';
import { NODE_ADDRESS } from './settings.mjs';

export const NAMESPACE = 'postern';
export const BALANCER_ADDRESS = '198.51.100.25';
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;

const key = () => `2026:${randomBytes(32).toString('base64')}`;

/** As docs/kubernetes.md lists them, without the URLs of databases. */
export const secretsByHand = () => ({
  'postern-links': { 'link-secrets': randomBytes(32).toString('hex') },
  'postern-email-send': { 'encryption-keys': key(), relays: `smtp://${NODE_ADDRESS}:2525?tls=none` },
  'postern-webhook-dispatch': { 'encryption-keys': key() },
  'postern-platform-management': {
    'encryption-keys': key(),
    'operator-email': 'owner@example.com',
    'operator-password': randomBytes(12).toString('hex'),
  },
});

export const secretObjects = secrets =>
  Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: NAMESPACE },
    stringData,
  }));

/** Gives the Service an address, as the load balancer of a cloud does; Helm waits for it. */
const balance = async ({ cluster }, signal) => {
  const path = `/api/v1/namespaces/${NAMESPACE}/services/delivery-tracking`;
  while (!signal.aborted) {
    const service = await cluster.api('GET', path).catch(() => undefined);
    if (service) {
      service.status.loadBalancer = { ingress: [{ ip: BALANCER_ADDRESS }] };
      await cluster.api('PUT', `${path}/status`, service);
      return;
    }
    await pause(1_000);
  }
};

/** Runs an installation and assigns an address to its Service meanwhile. */
export const whileBalancing = async (context, install) => {
  const over = new AbortController();
  const balancing = balance(context, over.signal);
  try {
    return await install();
  } finally {
    over.abort();
    await balancing;
  }
};

const isRolledOut = ({ metadata, spec, status }) =>
  status.observedGeneration === metadata.generation &&
  [status.replicas, status.updatedReplicas, status.availableReplicas].every(count => count === spec.replicas);

/** Waits until every Deployment has only pods of its current template. */
export const untilRolledOut = ({ cluster }, expected) =>
  eventually(
    `${expected} Deployments that are rolled out`,
    async () => {
      const { items } = await cluster.api('GET', DEPLOYMENTS);
      const waiting = items.filter(each => !isRolledOut(each)).map(({ metadata }) => metadata.name);
      if (items.length === expected && waiting.length === 0) return true;
      throw new Error(`there are ${items.length}, and ${waiting.join(', ')} are not`);
    },
    300_000,
  );
