import { existsSync, readFileSync } from 'node:fs';
import type { RunningPostern } from '@postern/local-start';
import { memoryOf } from '../system/process-table.js';

const GROWTH_MIB = 512;

/** Detects crashes, logged errors and unbounded memory growth of a running Postern. */
export class PosternObserver {
  private readonly pidsAtStart: Readonly<Record<string, number>>;
  private readonly mibAtStart: Readonly<Record<string, number>>;
  private readonly errorsAtStart: number;

  constructor(private readonly postern: RunningPostern) {
    this.pidsAtStart = postern.processes();
    this.mibAtStart = this.memory();
    this.errorsAtStart = this.errors().length;
  }

  problems(): readonly string[] {
    const pids = this.postern.processes();
    const restarted = Object.keys(this.pidsAtStart).filter(name => pids[name] !== this.pidsAtStart[name]);
    const grown = Object.entries(this.memory()).filter(
      ([name, mib]) => mib > (this.mibAtStart[name] ?? 0) + GROWTH_MIB && name !== 'postgres',
    );
    return [
      ...restarted.map(name => `${name} crashed`),
      ...grown.map(
        ([name, mib]) => `${name} has ${mib.toFixed(0)} MiB, ${this.mibAtStart[name]?.toFixed(0)} at the start`,
      ),
      ...this.errors()
        .slice(this.errorsAtStart)
        .map(line => `an error in a log: ${line.slice(0, 500)}`),
    ];
  }

  private memory(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.postern.processes()).map(([name, pid]) => [name, memoryOf(pid)]));
  }

  private errors(): readonly string[] {
    return [...this.postern.services.keys()]
      .map(name => this.postern.home.logFile(name))
      .filter(file => existsSync(file))
      .flatMap(file => readFileSync(file, 'utf8').split('\n'))
      .filter(line => /"level":"(error|fatal)"/.test(line));
  }
}
