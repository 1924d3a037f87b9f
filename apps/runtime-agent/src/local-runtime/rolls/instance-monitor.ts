import type { LoadBalancerClient } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import type { ServiceUsage } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import type { MarkedProcesses } from '../instances/marked-processes.js';
import { DiskWatch } from './disk-watch.js';
import { RequestMeter } from './request-meter.js';
import type { RunningService } from './running-service.js';
import type { RuntimeTimes } from './runtime-times.js';
import { Scaling } from './scaling.js';
import { UsageMeter } from './usage-meter.js';

/**
 * Measures the instances of this machine, restarts those that exceed their memory or disk limits, and scales web
 * services: between the numbers of their plans, to none without requests, and back with the next request.
 */
export class InstanceMonitor {
  readonly #meter = new UsageMeter();
  readonly #requests = new RequestMeter();
  /** Between two calls of `usage`. */
  readonly #reported = new RequestMeter();
  readonly #disks = new DiskWatch();
  readonly #scalings = new WeakMap<object, Scaling>();
  #timer: NodeJS.Timeout | undefined;
  #waking: NodeJS.Timeout | undefined;

  constructor(
    private readonly processes: MarkedProcesses,
    private readonly balancer: Pick<LoadBalancerClient, 'routes'>,
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
        await this.#readRequests(services());
        for (const service of services()) this.#scale(service);
      } catch (err) {
        this.log.error({ err }, 'The instances could not be measured; it will be retried');
      }
    }, this.times.samplesMs);
    this.#waking = setInterval(async () => {
      try {
        const asleep = services().filter(service => service.asleep && !service.busy);
        if (asleep.length === 0 || !(await mayAct())) return;
        const called = new Set((await this.balancer.routes()).flatMap(({ id, waiting }) => (waiting > 0 ? id : [])));
        for (const service of asleep) if (called.has(service.webServiceId)) this.#logged(service, service.wake());
      } catch (err) {
        this.log.error({ err }, 'Waiting requests could not be read; it will be retried');
      }
    }, this.times.wakeChecksMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    clearInterval(this.#waking);
  }

  /** The current usage of the web services that have instances. */
  async usage(services: readonly RunningService[]): Promise<readonly ServiceUsage[]> {
    await this.#sample(services.flatMap(service => service.instances));
    const isCounted = await this.#readAnswers();
    return services
      .filter(({ instances }) => instances.length > 0)
      .map(({ webServiceId, instances }) => {
        const answers = isCounted ? this.#reported.answerRates(webServiceId) : undefined;
        return { ...this.#meter.sumOf(webServiceId, instances), ...(answers ? { answers } : {}) };
      });
  }

  /** Without the load balancer, the usage has no answers. */
  async #readAnswers(): Promise<boolean> {
    try {
      this.#reported.read(await this.balancer.routes(), performance.now());
      return true;
    } catch (err) {
      this.log.error({ err }, 'The answers of web services could not be read; it will be retried');
      return false;
    }
  }

  async #sample(instances: readonly Instance[]): Promise<void> {
    if (instances.length === 0) return;
    const processes = await this.processes.scan();
    for (const instance of instances) {
      const used = this.#meter.read(instance, processes.get(instance.record.id) ?? [], performance.now());
      if (used.memoryBytes > instance.limits.memoryBytes) await instance.reportMemoryExceeded();
    }
  }

  /** Only where a plan has a target for them. */
  async #readRequests(services: readonly RunningService[]): Promise<void> {
    const isCounted = ({ serving }: RunningService) =>
      serving?.plan?.autoscaling?.requestsPerSecond || serving?.plan?.autoscaling?.idleMinutes;
    if (services.some(isCounted)) this.#requests.read(await this.balancer.routes(), performance.now());
  }

  #scale(service: RunningService): void {
    const { serving, busy, webServiceId } = service;
    if (!serving?.plan || busy) return;
    const now = performance.now();
    const { idleMinutes } = serving.plan.autoscaling ?? {};
    if (idleMinutes && this.#requests.idleMs(webServiceId, now) >= idleMinutes * this.times.idleMinuteMs) {
      this.log.info({ webServiceId }, 'The instances of a web service end because it has no requests');
      this.#logged(service, service.sleep());
      return;
    }
    const scaling = this.#scalings.get(serving) ?? new Scaling(this.times.scaling);
    this.#scalings.set(serving, scaling);
    const usage = this.#meter.sumOf(webServiceId, serving.instances);
    const demand = { ...usage, requestsPerSecond: this.#requests.perSecond(webServiceId) / Math.max(1, serving.size) };
    const wanted = scaling.decide(demand, serving.size, serving.plan, now);
    if (wanted === serving.size) return;
    this.log.info({ webServiceId, from: serving.size, to: wanted }, 'Scaling a web service');
    this.#logged(service, service.resize(wanted));
  }

  #logged({ webServiceId }: RunningService, change: Promise<void>): void {
    change.catch(err => this.log.error({ err, webServiceId }, 'A web service could not be scaled; it will be retried'));
  }
}
