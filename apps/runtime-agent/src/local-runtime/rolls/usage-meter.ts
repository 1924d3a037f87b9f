import type { ServiceUsage } from '@postern/runtime';
import type { ProcessEntry } from '../../infrastructure/process-table.js';
import type { Instance } from '../instances/instance.js';

export interface InstanceUsage {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

interface Reading {
  readonly at: number;
  readonly cpuMs: number;
  readonly usage: InstanceUsage;
}

/** Measures the CPU and memory usage of instances between two readings. */
export class UsageMeter {
  readonly #readings = new WeakMap<Instance, Reading>();

  /** The first measurement has no interval, so its CPU usage is zero. */
  read(instance: Instance, processes: readonly ProcessEntry[], now: number): InstanceUsage {
    const before = this.#readings.get(instance);
    const cpuMs = processes.reduce((sum, entry) => sum + entry.cpuMs, 0);
    const memoryBytes = processes.reduce((sum, entry) => sum + entry.memoryBytes, 0);
    // The CPU time of a process is lost when it ends, so the sum may shrink.
    const used = before ? Math.max(0, cpuMs - before.cpuMs) / Math.max(1, now - before.at) : 0;
    const usage = { cpuMillicores: used * 1_000, memoryBytes };
    this.#readings.set(instance, { at: now, cpuMs, usage });
    return usage;
  }

  /** The last measurement. */
  lastOf(instance: Instance): InstanceUsage | undefined {
    return this.#readings.get(instance)?.usage;
  }

  /** The sum over the instances of one service. */
  sumOf(webServiceId: string, instances: readonly Instance[]): ServiceUsage {
    const usages = instances.flatMap(instance => this.lastOf(instance) ?? []);
    const cpuMillicores = usages.reduce((sum, usage) => sum + usage.cpuMillicores, 0);
    const memoryBytes = usages.reduce((sum, usage) => sum + usage.memoryBytes, 0);
    const measured = instances.filter(instance => this.lastOf(instance));
    const percentOf = (used: number, limit: 'cpuMillicores' | 'memoryBytes') =>
      usages.length === 0 ? 0 : (used / measured.reduce((sum, { limits }) => sum + limits[limit], 0)) * 100;
    return {
      webServiceId,
      cpuMillicores: Math.round(cpuMillicores),
      cpuPercent: percentOf(cpuMillicores, 'cpuMillicores'),
      memoryBytes,
      memoryPercent: percentOf(memoryBytes, 'memoryBytes'),
      instances: instances.length,
    };
  }
}
