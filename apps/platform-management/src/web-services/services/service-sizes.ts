import { INSTANCE_MEMORY_MIB } from '@postern/contracts';
import type { NeededPlaces } from '../../accounts/quotas/workspace-usage.js';
import type { Settings } from './aggregate/events.js';
import type { WebService } from './aggregate/state.js';

/** Settings that determine the quota usage of a web service. */
export const SIZES = ['max_instances', 'processes', 'instance', 'disk'] as const satisfies readonly (keyof Settings)[];

/** Returns the additional quota usage of changed settings. */
export const placesFor = (state: WebService, changes: Partial<Settings>): NeededPlaces => {
  const before = sizesOf(state, state.settings!);
  const after = sizesOf(state, { ...state.settings!, ...changes });
  const more = (Object.keys(after) as (keyof typeof after)[]).map(name => [name, after[name] - before[name]] as const);
  return Object.fromEntries(more.filter(([, places]) => places > 0));
};

/**
 * The serving release keeps its memory until the next one, and a disk is kept until the deletion of the web service, so that an edit
 * frees neither.
 */
const sizesOf = (state: WebService, settings: Settings) => {
  const { max_instances, processes = {}, disk } = settings;
  const instances = Object.values(processes).reduce((sum, count) => sum + count, max_instances);
  const serving = state.serving ? memoryOf(state.serving.settings) : 0;
  return {
    instances,
    memory_mib: instances * Math.max(memoryOf(settings), serving),
    disk_mib: Math.max(disk?.size_mib ?? 0, state.largestDiskMib ?? 0),
  };
};

const memoryOf = (settings: Pick<Settings, 'instance'> | undefined): number =>
  settings?.instance?.memory_mib ?? INSTANCE_MEMORY_MIB;
