import { setTimeout as delay } from 'node:timers/promises';
import type { Instance } from '../instances/instance.js';
import { isWrongPort } from '../probe.js';
import { RestartBackoff } from './restart-backoff.js';
import type { RuntimeTimes } from './runtime-times.js';

/** The replica set, as its replicas use it. */
export interface ReplicaOwner {
  readonly times: RuntimeTimes;
  start(): Promise<Instance>;
  /** How long a new instance may take until its first successful probe. */
  firstAnswerMs(): number;
  /** Whether a failed instance is replaced. */
  restarts(): boolean;
  /** Whether the plan that starts an instance is known. */
  canStart(): boolean;
  onChange(): void;
  onFailure(reason: string): void;
}

/** Another process bound the port before the instance listened on it. */
const PORT_TAKEN = /EADDRINUSE|address already in use/i;
const STARTS_ON_TAKEN_PORTS = 3;

/**
 * Keeps one instance running: starts it, probes it, and replaces it when it fails. At most one instance runs at a time,
 * and none after `retire` has resolved.
 */
export class Replica {
  readonly #retiring = new AbortController();
  readonly #backoff: RestartBackoff;
  readonly #work: Promise<void>;
  #instance: Instance | undefined;
  #healthySince: number | undefined;
  #answer = 'it was not started yet';
  #failed: string | undefined;
  #graceMs: number;
  #healthyMs = 0;
  #detach = false;

  constructor(
    private readonly owner: ReplicaOwner,
    adopted?: { readonly instance: Instance; readonly answered: boolean },
  ) {
    this.#graceMs = owner.times.graceMs;
    this.#instance = adopted?.instance;
    if (adopted?.answered) this.#healthySince = performance.now();
    this.#backoff = new RestartBackoff(owner.times.backoff);
    this.#work = this.#keep();
  }

  /** The running instance, healthy or not. */
  get instance(): Instance | undefined {
    return this.#instance;
  }

  get healthy(): boolean {
    return this.#healthySince !== undefined;
  }

  /** How long it has been healthy; undefined if it is not. */
  get healthyForMs(): number | undefined {
    return this.#healthySince === undefined ? undefined : performance.now() - this.#healthySince;
  }

  /** Why there is no instance and none will be started. */
  get failed(): string | undefined {
    return this.#failed;
  }

  /** The result of the last probe. */
  get lastAnswer(): string {
    return this.#answer;
  }

  /**
   * Stops the supervision for the time of the drain: an end of the main process is no failure then, and the other
   * processes of the instance may finish their requests.
   */
  async release(): Promise<void> {
    this.#retiring.abort();
    await this.#work;
  }

  /** Ends the instance and starts no other. */
  async retire(graceMs = this.owner.times.graceMs): Promise<void> {
    this.#graceMs = graceMs;
    await this.release();
    await this.#instance?.end(graceMs);
    this.#instance = undefined;
  }

  /** Stops the supervision and leaves the instance running. */
  async detach(): Promise<void> {
    this.#detach = true;
    this.#retiring.abort();
    await this.#work;
    await this.#instance?.detach();
  }

  async #keep(): Promise<void> {
    // An adopted instance may already have received SIGTERM, so its end does not count as a failure of the release.
    let wasAdopted = this.#instance !== undefined;
    for (let starts = 1; !this.#retiring.signal.aborted; starts += 1) {
      const reason = await this.#runOne();
      if (reason === undefined) return;
      if (this.#retiring.signal.aborted) return;
      this.owner.onFailure(reason);
      const again = this.owner.restarts();
      if (!again && wasAdopted && this.owner.canStart()) {
        wasAdopted = false;
        continue;
      }
      if (!again && PORT_TAKEN.test(reason) && starts < STARTS_ON_TAKEN_PORTS) continue;
      if (!again) this.#failed = reason;
      this.owner.onChange();
      if (!again) return;
      await this.#pause(this.#backoff.next(this.#healthyMs));
    }
  }

  /** Runs one instance. Returns why it ended; undefined when the replica retires, which then ends the instance. */
  async #runOne(): Promise<string | undefined> {
    this.#healthyMs = 0;
    try {
      this.#instance ??= await this.owner.start();
      const instance = this.#instance;
      const reason = await this.#watch(instance);
      if (reason === undefined) return undefined;
      // An instance that fails its probes still runs and must be ended.
      await instance.end(this.#graceMs);
      this.#instance = undefined;
      return [`${instance.record.name} ${reason}`, ...instance.lastErrors].join('\n');
    } catch (error) {
      await this.#instance?.end(0).catch(() => {});
      this.#instance = undefined;
      return `could not be started: ${(error as Error).message}`;
    }
  }

  /** Probes an instance until it ends. Returns why it must be replaced; undefined when the replica retires. */
  async #watch(instance: Instance): Promise<string | undefined> {
    const over = new AbortController();
    let ended: string | undefined;
    void instance.exited.then(reason => {
      ended = reason;
      over.abort();
      this.#become(false);
    });
    const stop = () => over.abort();
    const end = new Promise<string>(resolve => over.signal.addEventListener('abort', () => resolve('')));
    this.#retiring.signal.addEventListener('abort', stop, { once: true });
    // The replica may have begun to retire while the instance was being started.
    if (this.#retiring.signal.aborted) stop();
    try {
      const times = timesOf(instance, this.owner.times);
      const startedAt = performance.now();
      let lastWell = this.#healthySince;
      let elsewhereSince: number | undefined;
      for (let failures = 0; !over.signal.aborted; ) {
        const isNew = lastWell === undefined;
        const isHomePage = isNew && !instance.record.healthCheckPath && !instance.record.healthCheck?.timeoutSeconds;
        const timeout = isHomePage ? times.homePageTimeoutMs : times.probeTimeoutMs;
        const takesOther = elsewhereSince !== undefined && performance.now() - elsewhereSince > times.otherPortMs;
        const port = instance.backend?.port;
        const answer = await Promise.race([instance.probe(timeout, isNew, takesOther), end]);
        if (over.signal.aborted) break;
        const now = performance.now();
        if (instance.backend?.port !== port) this.owner.onChange();
        failures = answer === undefined ? 0 : failures + 1;
        this.#answer = answer ?? 'it answers';
        if (answer === undefined) {
          lastWell = now;
          this.#become(true);
        } else if (failures >= times.failuresUntilUnhealthy) this.#become(false);
        elsewhereSince = isWrongPort(answer) && lastWell === undefined ? (elsewhereSince ?? now) : undefined;
        if (elsewhereSince !== undefined && now - elsewhereSince > times.wrongPortMs) return answer;
        const timeoutMs = lastWell === undefined ? this.owner.firstAnswerMs() : times.unhealthyUntilRestartMs;
        // One failure may be caused by this process: a deadline also expires while it is suspended.
        const isSilent = failures >= times.failuresUntilUnhealthy && now - (lastWell ?? startedAt) > timeoutMs;
        if (isSilent && this.owner.restarts()) return `stopped responding: ${answer}`;
        await delay(lastWell === undefined ? times.firstProbesMs : times.probesMs, undefined, {
          signal: over.signal,
        }).catch(() => {});
      }
      return ended;
    } finally {
      this.#retiring.signal.removeEventListener('abort', stop);
      if (!this.#detach) this.#become(false);
    }
  }

  #become(healthy: boolean): void {
    if (healthy === this.healthy) return;
    if (this.#healthySince !== undefined) this.#healthyMs = performance.now() - this.#healthySince;
    this.#healthySince = healthy ? performance.now() : undefined;
    this.owner.onChange();
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#retiring.signal }).catch(() => {});
  }
}

/** The times of the runtime, with those that the settings of the web service override. */
const timesOf = ({ record: { healthCheck } }: Instance, times: RuntimeTimes): RuntimeTimes => {
  const { intervalSeconds, timeoutSeconds, threshold } = healthCheck ?? {};
  return {
    ...times,
    ...(intervalSeconds !== undefined && { probesMs: intervalSeconds * 1_000 }),
    ...(timeoutSeconds !== undefined && { probeTimeoutMs: timeoutSeconds * 1_000 }),
    ...(threshold !== undefined && { failuresUntilUnhealthy: threshold }),
  };
};
