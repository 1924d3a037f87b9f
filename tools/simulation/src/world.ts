import type { FaultPlan } from './faults.js';
import type { Random } from './random.js';
import type { SimulatedClock } from './simulated-clock.js';
import { PortFailure, SimulatedProcess } from './simulated-process.js';

export type ServiceName = 'api-gateway' | 'email-send' | 'delivery-tracking' | 'webhook-dispatch';

/** Shared by all parts of one run: random numbers, faults, the clock and the processes. */
export class World {
  #ids = 0;
  readonly #processes = new Map<ServiceName, SimulatedProcess>();

  constructor(
    readonly random: Random,
    readonly faults: FaultPlan,
    private readonly clock: SimulatedClock,
  ) {
    clock.now = Date.UTC(2026, 2, 1, 12);
  }

  get now(): number {
    return this.clock.now;
  }

  advance(ms: number): void {
    this.clock.now += ms;
  }

  timestamp(): string {
    return new Date(this.now).toISOString();
  }

  /** A UUIDv7 of the simulated time; deterministic for the seed. */
  newId(): string {
    const time = this.now.toString(16).padStart(12, '0');
    const count = (++this.#ids).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}`;
  }

  /** The running process of the service; a crashed one is restarted with empty memory. */
  process(service: ServiceName): SimulatedProcess {
    let process = this.#processes.get(service);
    if (!process?.alive) {
      process = new SimulatedProcess(this.faults);
      this.#processes.set(service, process);
    }
    return process;
  }

  /** Whether the work completed. A crash or a failed port call requires a repetition; any other error is a bug. */
  async attempt(service: ServiceName, work: (process: SimulatedProcess) => Promise<unknown>): Promise<boolean> {
    const process = this.process(service);
    const outcome = await process.finish(work(process));
    if (outcome.kind === 'failed' && !(outcome.error instanceof PortFailure)) throw outcome.error;
    return outcome.kind === 'done';
  }
}
