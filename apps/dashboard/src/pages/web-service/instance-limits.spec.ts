import { describe, expect, it } from '@jest/globals';
import { instanceLimits } from './instance-limits.js';

const MIB = 2 ** 20;
const point = (cpu: readonly [number, number], memory: readonly [number, number], instances = 1) => ({
  timestamp: '2026-03-09T10:00:00.000Z',
  cpu: { millicores: cpu[0], percent: cpu[1] },
  memory: { bytes: memory[0], percent: memory[1] },
  instances,
  requests: null,
});

describe('the limits of an instance', () => {
  it('are those of the web service', () =>
    expect(instanceLimits({ memory_mib: 1_024, cpu_millicores: 250 }, [point([10, 1], [MIB, 1])])).toEqual({
      cpuMillicores: 250,
      memoryBytes: 1_024 * MIB,
    }));

  it('are derived from the usage in percent when an operator has set the default', () =>
    expect(instanceLimits(null, [point([1, 0.02], [MIB, 0.05]), point([998, 24.96], [101 * MIB, 4.94], 2)])).toEqual({
      cpuMillicores: 2_000,
      memoryBytes: 1_024 * MIB,
    }));

  it('are the defaults of Postern when the usage is too low to derive them', () => {
    const defaults = { cpuMillicores: 1_000, memoryBytes: 512 * MIB };
    expect(instanceLimits(null, [point([0.3, 0.03], [MIB, 0.2])])).toEqual(defaults);
  });
});
