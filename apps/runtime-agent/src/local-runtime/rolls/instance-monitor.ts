import type { Log } from '@postern/messaging';
import type { ServiceUsage } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import type { MarkedProcesses } from '../instances/marked-processes.js';
import { DiskWatch } from './disk-watch.js';
import type { RunningService } from './running-service.js';
import type { RuntimeTimes } from './runtime-times.js';
import { Scaling } from './scaling.js';
import { UsageMeter } from './usage-meter.js';

/**
 * Measures the instances of this machine, restarts those that exceed their memory or disk limits, and scales web
 * services.
 */
export class InstanceMonitor {
  readonly #meter = new UsageMeter();
  readonly #disks = new DiskWatch();
  readonly #scalings = new WeakMap<object, Scaling>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly processes: MarkedProcesses,
    private readonly times: RuntimeTimes,
    private readonly log: Log,
  ) {}

  /** Measures and scales periodically while `mayAct` resolves to true. The limits also apply to `commands`. */
  start(
    services: () => readonly RunningService[],
    commands: () => readonly Instance[],
    mayAct: () => Promise<boolean>,
  ): void {
    this.#timer = setInterval(async () => {
      try {
        if (!(await mayAct())) return;
        const instances = [...services().flatMap(service => service.instances), ...commands()];
        await this.#sample(instances);
        void this.#disks.check(instances);
        for (const service of services()) this.#scale(service);
      } catch (err) {
        this.log.error({ err }, 'The instances could not be measured; it will be retried');
      }
    }, this.times.samplesMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The current usage of the web services that have instances. */
  async usage(services: readonly RunningService[]): Promise<readonly ServiceUsage[]> {
    await this.#sample(services.flatMap(service => service.instances));
    return services
      .filter(({ instances }) => instances.length > 0)
      .map(({ webServiceId, instances }) => this.#meter.sumOf(webServiceId, instances));
  }

  async #sample(instances: readonly Instance[]): Promise<void> {
    if (instances.length === 0) return;
    const processes = await this.processes.scan();
    for (const instance of instances) {
      const used = this.#meter.read(instance, processes.get(instance.record.id) ?? [], performance.now());
      if (used.memoryBytes > instance.limits.memoryBytes) await instance.reportMemoryExceeded();
    }
  }

  #scale(service: RunningService): void {
    const { serving, busy, webServiceId } = service;
    if (!serving?.plan || busy) return;
    const scaling = this.#scalings.get(serving) ?? new Scaling(this.times.scaling);
    this.#scalings.set(serving, scaling);
    const { cpuPercent } = this.#meter.sumOf(webServiceId, serving.instances);
    const wanted = scaling.decide(cpuPercent, serving.size, serving.plan, performance.now());
    if (wanted === serving.size) return;
    this.log.info({ webServiceId, from: serving.size, to: wanted }, 'Scaling a web service');
    service
      .resize(wanted)
      .catch(err => this.log.error({ err, webServiceId }, 'A web service could not be scaled; it will be retried'));
  }
}
