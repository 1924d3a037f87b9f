import type { Autoscaling } from '@postern/contracts';
import { camelCased, type RuntimeStatus, type ServicePlan } from '@postern/runtime';
import type { ReleaseSettings } from './aggregate/events.js';

/** A serving release, with everything that a plan needs except its configuration. */
export interface ServingRelease extends Omit<ServicePlan, 'environment' | 'secrets' | 'deadlineMs'> {
  readonly configurationId: string;
  /** False while the web service has the status failed because no instance responds. */
  readonly answering: boolean;
}

type PlanSettings = Pick<
  ServicePlan,
  | 'name'
  | 'startCommand'
  | 'port'
  | 'healthCheckPath'
  | 'healthCheck'
  | 'firstByteSeconds'
  | 'instance'
  | 'drainSeconds'
  | 'processes'
  | 'disk'
>;

/** Maps the settings of a release to a plan of the runtime; an unset field means the default of the runtime. */
export const planSettings = (settings: ReleaseSettings): PlanSettings => ({
  name: settings.name,
  startCommand: settings.start_command ?? undefined,
  port: settings.port,
  healthCheckPath: settings.health_check_path ?? undefined,
  healthCheck: settings.health_check ? camelCased(settings.health_check) : undefined,
  firstByteSeconds: settings.first_byte_timeout_seconds ?? undefined,
  instance: settings.instance
    ? { memoryMib: settings.instance.memory_mib, cpuMillicores: settings.instance.cpu_millicores }
    : undefined,
  drainSeconds: settings.drain_seconds ?? undefined,
  processes: Object.keys(settings.processes ?? {}).length > 0 ? settings.processes : undefined,
  disk: settings.disk ? { sizeMib: settings.disk.size_mib } : undefined,
});

interface InstanceSettings {
  readonly min_instances: number;
  readonly max_instances: number;
  readonly autoscaling?: Autoscaling | null;
}

/** Returns the current settings of the number of instances of a release; the number is 1 for a release with a disk. */
export const currentInstances = (
  release: Pick<ServicePlan, 'disk'>,
  { min_instances, max_instances, autoscaling }: InstanceSettings,
): Pick<ServicePlan, 'minInstances' | 'maxInstances' | 'autoscaling'> => ({
  minInstances: release.disk ? 1 : min_instances,
  maxInstances: release.disk ? 1 : max_instances,
  autoscaling: autoscaling ? camelCased(autoscaling) : undefined,
});

/**
 * Returns the current numbers of processes, but only for the process types that the release started with. Other process types may
 * not be in its Procfile.
 */
export const currentProcesses = (
  release: ServicePlan['processes'],
  current: ReleaseSettings['processes'] = {},
): ServicePlan['processes'] =>
  release && Object.fromEntries(Object.keys(release).map(type => [type, current[type] ?? 0]));

export interface OwnedWebService {
  /** The user who created the web service. */
  readonly userId: string;
}

/** Configuration of creating and rolling back web services. */
export abstract class WebServiceSettings {
  abstract readonly allowFileRepositories: boolean;
  /** Number of previously live deployments of each web service that can be rolled back to. */
  abstract readonly retainedReleases: number;
}

/** The runtime status of a serving web service; undefined if none of its instances run. */
export interface InstanceReading {
  readonly webServiceId: string;
  readonly status: RuntimeStatus | undefined;
}
