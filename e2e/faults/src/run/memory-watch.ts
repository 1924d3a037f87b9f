import type { Violation } from '../rules/violation.js';
import { leaks, type MemorySample, type MemoryTrend, memoryTrend } from '../system/memory.js';
import type { Postern } from '../system/postern.js';
import { childrenOf, memoryOf, privateMemoryOf } from '../system/process-table.js';

const EVERY_MS = 5_000;

/** Samples the memory of every process of Postern; a new process starts a new series. */
export class MemoryWatch {
  private readonly series = new Map<string, { name: string; samples: MemorySample[] }>();
  private readonly timer: NodeJS.Timeout;
  private readonly began = Date.now();

  constructor(private readonly postern: Postern) {
    this.timer = setInterval(() => this.sample(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The trend of the longest series per name. */
  trends(): Readonly<Record<string, MemoryTrend>> {
    const trends = [...this.longest()].flatMap(([name, samples]) => {
      const trend = memoryTrend(samples);
      return trend ? [[name, trend] as const] : [];
    });
    return Object.fromEntries(trends);
  }

  violations(): readonly Violation[] {
    return [...this.longest()]
      .filter(([, samples]) => leaks(samples))
      .map(([name, samples]) => ({
        rule: 'memory grows',
        detail: `${name}: ${memoryTrend(samples)?.mibPerHour.toFixed(0)} MiB an hour`,
      }));
  }

  private longest(): Map<string, readonly MemorySample[]> {
    const longest = new Map<string, readonly MemorySample[]>();
    for (const { name, samples } of this.series.values())
      if (samples.length > (longest.get(name)?.length ?? 0)) longest.set(name, samples);
    return longest;
  }

  private sample(): void {
    for (const [name, pid] of Object.entries(this.postern.processes)) {
      // The shared buffers of PostgreSQL have a fixed size, which each session maps page by page; only private memory counts.
      const mib = name === 'postgres' ? Math.max(0, ...childrenOf(pid).map(privateMemoryOf)) : memoryOf(pid);
      if (mib === 0) continue;
      const key = `${name} ${pid}`;
      const found = this.series.get(key) ?? { name, samples: [] };
      found.samples.push({ atMs: Date.now() - this.began, mib });
      this.series.set(key, found);
    }
  }
}
