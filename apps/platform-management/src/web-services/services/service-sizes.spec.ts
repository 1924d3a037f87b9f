import { describe, expect, it } from '@jest/globals';
import type { Settings } from './aggregate/events.js';
import { initial, type WebService } from './aggregate/state.js';
import { placesFor } from './service-sizes.js';

const settings = { max_instances: 1, instance: { memory_mib: 64, cpu_millicores: 100 } } as Settings;
const state: WebService = { ...initial, settings };
const release = (memory_mib: number | null) => ({
  instance: memory_mib === null ? null : { memory_mib, cpu_millicores: 100 },
});
const serving = (memory_mib: number | null) =>
  ({ serving: { settings: release(memory_mib) } }) as unknown as Pick<WebService, 'serving'>;

describe('the quota usage of changed settings', () => {
  it.each<[string, WebService, Partial<Settings>, object]>([
    ['more instances', state, { max_instances: 3 }, { instances: 2, memory_mib: 128 }],
    ['workers', state, { processes: { worker: 2 } }, { instances: 2, memory_mib: 128 }],
    ['the default limit', state, { instance: null }, { memory_mib: 448 }],
    ['less', { ...state, settings: { ...settings, max_instances: 5 } }, { max_instances: 1 }, {}],
    ['a disk', state, { disk: { size_mib: 100 } }, { disk_mib: 100 }],
    ['another name', state, { name: 'shop' }, {}],
  ])('for %s, it is the increase', (_what, before, changes, expected) =>
    expect(placesFor(before, changes)).toEqual(expected),
  );

  it('includes the memory of the serving release until another one serves', () => {
    const serves = { ...state, ...serving(1_024) };
    expect(placesFor(serves, { max_instances: 2 })).toEqual({ instances: 1, memory_mib: 1_024 });
    expect(placesFor(serves, { instance: { memory_mib: 512, cpu_millicores: 100 } })).toEqual({});
    expect(placesFor({ ...state, ...serving(null) }, { max_instances: 2 })).toEqual({ instances: 1, memory_mib: 512 });
  });

  it('includes a removed disk, because its files are kept', () => {
    const without = { ...state, largestDiskMib: 100 };
    expect(placesFor(without, { disk: { size_mib: 100 } })).toEqual({});
    expect(placesFor(without, { disk: { size_mib: 150 } })).toEqual({ disk_mib: 50 });
  });
});
