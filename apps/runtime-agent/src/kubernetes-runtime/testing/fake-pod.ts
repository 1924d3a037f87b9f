import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@postern/testing';
import { type AnyObject, type ContainerSpec, type Json, podSpecOf } from './any-object.js';
import { environmentOf, expand } from './container-environment.js';
import { ContainerLog } from './container-log.js';
import type { NodeApi } from './fake-node.js';
import type { FakeRegistry } from './fake-registry.js';
import { podStatus, STATIC, unhealthyEvent } from './pod-status.js';
import { PodVolumes } from './pod-volumes.js';
import { probeFailure } from './readiness-probe.js';

interface Ended {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
}

/** The folder of the fake `buildctl-daemonless.sh`. */
const BUILDKIT = fileURLToPath(new URL('buildkit', import.meta.url));

/** A real kubelet waits 10 s before the third start of a container, and longer before each further start. */
const FIRST_BACKOFF_MS = 1_000;

/** One pod and its containers, as processes. */
export class FakePod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  port = 0;
  readonly #logs = new Map<string, ContainerLog[]>();
  #isReady = false;
  #restarts = 0;
  #initStatus: Json[] = [];
  #child: ChildProcess | undefined;
  readonly #over = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;
  readonly #volumes: PodVolumes;
  readonly #folder: string;

  constructor(
    private readonly pod: AnyObject,
    private readonly api: NodeApi,
    private readonly registry: FakeRegistry,
    folder: string,
  ) {
    this.name = pod.metadata.name;
    this.labels = pod.metadata.labels ?? {};
    this.#folder = join(folder, pod.metadata.uid ?? this.name);
    this.#volumes = new PodVolumes(api, this.#folder);
  }

  get webServiceId(): string | undefined {
    return this.labels['postern.dev/web-service'] ?? this.labels['postern.dev/process-of'];
  }

  /** A terminating pod is removed from every Service at once, like the endpoints of a Service. */
  get isServing(): boolean {
    return this.#isReady && this.#ending === undefined;
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      if (!this.#over.signal.aborted) process.emitWarning(`the pod ${this.name}: ${String(error)}`);
    });
  }

  /** Terminates the pod as after its deletion in the API: it serves for a while, then gets SIGTERM, then SIGKILL. */
  end(): void {
    this.#ending ??= this.#end();
  }

  async kill(): Promise<void> {
    this.#over.abort();
    this.killContainer();
    await this.#running;
    await rm(this.#folder, { recursive: true, force: true });
  }

  killContainer(signal: NodeJS.Signals = 'SIGKILL'): void {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
  }

  logOf(container: string, previous: boolean): ContainerLog | undefined {
    return this.#logs.get(container)?.at(previous ? -2 : -1);
  }

  async usage(): Promise<Json> {
    const status = await readFile(`/proc/${this.#child?.pid}/status`, 'utf8').catch(() => '');
    return { cpu: '1m', memory: `${/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? '0'}Ki` };
  }

  async #end(): Promise<void> {
    const drain = podSpecOf(this.pod).containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0;
    await new Promise(resolve => setTimeout(resolve, drain * 1_000));
    this.#over.abort();
    this.killContainer('SIGTERM');
    const late = setTimeout(() => this.killContainer(), 5_000);
    await this.#running;
    clearTimeout(late);
    await this.api.send('DELETE', `/pods/${this.name}?gracePeriodSeconds=0`).catch(() => {});
  }

  async #run(): Promise<void> {
    const { initContainers = [], containers, restartPolicy } = podSpecOf(this.pod);
    await this.#volumes.mount(this.pod);
    this.port = await freePort();
    for (const container of initContainers) {
      const ended = await this.#runOnce(container);
      this.#initStatus = this.#initStatusWith(container, { terminated: ended });
      if (ended.exitCode !== 0) return this.#report('Failed', { waiting: { reason: 'PodInitializing' } });
    }
    const [container] = containers;
    if (!container) return;
    for (let failures = 0; !this.#over.signal.aborted; failures += 1) {
      // Images without a digest are those of builders, which are programs of this machine.
      const waiting = container.image.includes('@') ? await this.#whyNotStarted(container) : undefined;
      if (waiting) {
        await this.#report('Pending', { waiting });
        await this.#pause(FIRST_BACKOFF_MS);
        continue;
      }
      const ended = await this.#runOnce(container);
      if (restartPolicy === 'Never')
        return this.#report(ended.exitCode === 0 ? 'Succeeded' : 'Failed', { terminated: ended });
      if (this.#over.signal.aborted) return;
      if (failures > 0) {
        const waiting = { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' };
        await this.#report('Running', { waiting }, { terminated: ended });
        await this.#pause(FIRST_BACKOFF_MS * 2 ** (failures - 1));
      }
      this.#restarts += 1;
      this.#lastEnded = ended;
    }
  }

  #lastEnded: Ended | undefined;

  #initStatusWith({ name }: ContainerSpec, state: Json): Json[] {
    return [...this.#initStatus.filter(status => status['name'] !== name), { name, ...STATIC, state }];
  }

  async #runOnce(container: ContainerSpec): Promise<Ended> {
    const log = new ContainerLog();
    this.#logs.set(container.name, [...(this.#logs.get(container.name) ?? []), log]);
    const last = this.#lastEnded ? { terminated: this.#lastEnded } : {};
    const startedAt = new Date().toISOString();
    const isInit = podSpecOf(this.pod).initContainers?.includes(container) ?? false;
    if (isInit) this.#initStatus = this.#initStatusWith(container, { running: { startedAt } });
    const begun = () =>
      isInit
        ? this.#report('Pending', { waiting: { reason: 'PodInitializing' } })
        : this.#report('Running', { running: { startedAt } }, last);
    const exit = this.#spawn(
      container,
      await environmentOf(this.api, container, this.port, text => this.#volumes.located(text)),
      log,
    );
    await begun();
    const over = new AbortController();
    const probing = container.readinessProbe ? this.#probe(container, startedAt, last, over.signal) : Promise.resolve();
    const exitCode = await exit;
    over.abort();
    await probing;
    this.#isReady = false;
    log.close();
    const written = await this.#volumes.takeMessage();
    const message = written === '' && exitCode !== 0 ? log.tail(20) : written;
    return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message };
  }

  #spawn(container: ContainerSpec, environment: Record<string, string>, log: ContainerLog): Promise<number> {
    const { image } = this.#volumes;
    const argv = [...(container.command ?? image.command), ...(container.args ?? [])].map(part =>
      this.#volumes.located(expand(part, environment)),
    );
    const [command = '', ...args] = argv;
    const child = spawn(command, args, {
      cwd: container.workingDir ? this.#volumes.located(container.workingDir) : (image.workingDir ?? this.#folder),
      env: {
        PATH: `${BUILDKIT}:${dirname(process.execPath)}:${process.env['PATH']}`,
        ...image.environment,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    child.stdout.on('data', (data: Buffer) => log.write(data.toString('utf8')));
    child.stderr.on('data', (data: Buffer) => log.write(data.toString('utf8')));
    // The pod may have been terminated before the process existed.
    if (this.#over.signal.aborted) this.killContainer();
    return new Promise(resolve => {
      child.once('error', error => {
        log.write(`${String(error)}\n`);
        resolve(127);
      });
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
    });
  }

  async #probe(container: ContainerSpec, startedAt: string, last: Json, signal: AbortSignal): Promise<void> {
    let isReady = false;
    while (!signal.aborted) {
      const failure = await probeFailure(container, this.port, signal);
      if (signal.aborted) break;
      if (!failure !== isReady) {
        isReady = !failure;
        this.#isReady = isReady;
        await this.#report('Running', { running: { startedAt } }, last);
      }
      if (failure) await this.#complain(`Readiness probe failed: ${failure}`);
      await this.#pause(failure ? 200 : 1_000, signal);
    }
  }

  async #complain(message: string): Promise<void> {
    const event = unhealthyEvent(this.name, this.api.namespace, message);
    const { metadata, lastTimestamp } = event;
    await this.api
      .send('PATCH', `/events/${metadata.name}`, { message, lastTimestamp })
      .catch(() => this.api.send('POST', '/events', event))
      .catch(() => {});
  }

  async #report(phase: string, state: Json, lastState: Json = {}): Promise<void> {
    const [isReady, restarts, initStatus] = [this.#isReady, this.#restarts, this.#initStatus];
    const status = podStatus(this.pod, { phase, state, lastState, isReady, restarts, initStatus });
    // The pod may have been deleted meanwhile.
    await this.api.send('PATCH', `/pods/${this.name}/status`, { status }).catch(() => {});
  }

  async #whyNotStarted({ image: reference, command }: ContainerSpec): Promise<Json | undefined> {
    const image = await this.registry.find(reference);
    if (!image) return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${reference}": not found` };
    await this.#volumes.useImage(image);
    if (command || this.#volumes.image.command.length > 0) return undefined;
    return { reason: 'CreateContainerError', message: 'failed to generate container spec: no command specified' };
  }

  async #pause(ms: number, signal: AbortSignal = this.#over.signal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
    });
  }
}
