import type { ServiceUsage } from '@postern/runtime';
import { type Cluster, ClusterError } from './cluster.js';
import type { Deployment, PodMetrics } from './objects/kinds.js';
import { LABEL, OURS } from './objects/names.js';

const UNITS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Parses a Kubernetes quantity: `250m`, `128974848`, `123Mi`, `1e3`. */
export const quantity = (text: string): number => {
  const [, number = '', unit = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)(\w*)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number === '' || factor === undefined) throw new Error(`${text} is not a valid quantity`);
  return Number(number) * factor;
};

/** Usage of all services in the last measurement of the metrics server; empty without a metrics server. */
export const usageOf = async (cluster: Cluster): Promise<readonly ServiceUsage[]> => {
  const measured = await cluster
    .list<PodMetrics>('PodMetrics', `${OURS},${LABEL.webService}`)
    .catch((error: unknown) => {
      if (error instanceof ClusterError && (error.status === 404 || error.status === 503)) return [];
      throw error;
    });
  const services = Map.groupBy(measured, ({ metadata }) => metadata.labels?.[LABEL.webService] ?? '');
  if (services.size === 0) return [];
  const deployments = await cluster.list<Deployment>('Deployment', `${OURS},${LABEL.webService}`);
  const limits = new Map(deployments.map(found => [found.metadata.labels?.[LABEL.webService], limitsOf(found)]));
  return [...services].flatMap(([webServiceId, pods]) => {
    const limit = limits.get(webServiceId);
    if (!limit) return [];
    const sum = (resource: 'cpu' | 'memory') =>
      pods.flatMap(({ containers }) => containers).reduce((sum, { usage }) => sum + quantity(usage[resource]), 0);
    const [cpuMillicores, memoryBytes] = [sum('cpu') * 1_000, sum('memory')];
    return {
      webServiceId,
      cpuMillicores,
      cpuPercent: (100 * cpuMillicores) / (pods.length * 1_000 * quantity(limit.cpu)),
      memoryBytes,
      memoryPercent: (100 * memoryBytes) / (pods.length * quantity(limit.memory)),
      instances: pods.length,
    };
  });
};

interface Limits {
  readonly cpu: string;
  readonly memory: string;
}

/** The resource limits of an instance of a web service. */
const limitsOf = ({ spec }: Deployment): Limits | undefined => {
  const { containers = [] } = spec.template.spec as { containers?: { resources?: { limits?: Limits } }[] };
  return containers[0]?.resources?.limits;
};
