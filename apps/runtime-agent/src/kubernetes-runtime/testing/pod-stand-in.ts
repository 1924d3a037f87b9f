import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { freePort } from '@postern/testing';
import { fetch } from 'undici';
import { type AnyObject, type ContainerSpec, type Json, podSpecOf } from './any-object.js';
import { runBuildkit } from './buildkit-stand-in.js';
import { ContainerLog } from './container-log.js';
import type { NodeApi } from './node-stand-in.js';
import type { RegistryStandIn } from './registry-stand-in.js';

interface Ended {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
}

/** A kubelet waits 10 s before it starts a container for the third time, and longer ever after. */
const FIRST_BACKOFF_MS = 1_000;

/** One pod and its containers, as processes. */
export class PodStandIn {
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
  /** Paths of containers, the longest first, and what they are here. */
  #mounts: (readonly [string, string])[] = [];

  constructor(
    private readonly pod: AnyObject,
    private readonly api: NodeApi,
    private readonly registry: RegistryStandIn,
    folder: string,
  ) {
    this.name = pod.metadata.name;
    this.labels = pod.metadata.labels ?? {};
    this.#folder = join(folder, pod.metadata.uid ?? this.name);
  }

  readonly #folder: string;

  get webServiceId(): string | undefined {
    return this.labels['postern.dev/web-service'];
  }

  /** What ends is out of every Service at once, as the endpoints of one say it. */
  get isServing(): boolean {
    return this.#isReady && this.#ending === undefined;
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      if (!this.#over.signal.aborted) process.emitWarning(`the pod ${this.name}: ${String(error)}`);
    });
  }

  /** As when the API says that it is deleted: serves a while longer, is asked to go, and has to. */
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
    await this.#mount();
    for (const container of initContainers) {
      const ended = await this.#runOnce(container);
      this.#initStatus = [{ name: container.name, ...STATIC, state: { terminated: ended } }];
      if (ended.exitCode !== 0) return this.#report('Failed', { waiting: { reason: 'PodInitializing' } });
    }
    const [container] = containers;
    if (!container) return;
    for (let failures = 0; !this.#over.signal.aborted; failures += 1) {
      const missing = restartPolicy === 'Never' ? undefined : await this.#missingImage(container.image);
      if (missing) {
        await this.#report('Pending', { waiting: { reason: 'ImagePullBackOff', message: missing } });
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

  async #runOnce(container: ContainerSpec): Promise<Ended> {
    const log = new ContainerLog();
    this.#logs.set(container.name, [...(this.#logs.get(container.name) ?? []), log]);
    const last = this.#lastEnded ? { terminated: this.#lastEnded } : {};
    const startedAt = new Date().toISOString();
    const isInit = podSpecOf(this.pod).initContainers?.includes(container) ?? false;
    const begun = () =>
      isInit
        ? this.#report('Pending', { waiting: { reason: 'PodInitializing' } })
        : this.#report('Running', { running: { startedAt } }, last);
    if (container.name === 'buildkit') {
      await begun();
      const locate = (path: string) => this.#located(path);
      const { code, metadata = '' } = await runBuildkit(
        {
          arguments: container.args ?? [],
          locate,
          folder: join(this.#folder, 'image'),
          say: text => log.write(text),
          signal: this.#over.signal,
        },
        this.registry,
      );
      log.close();
      return { exitCode: code, reason: code === 0 ? 'Completed' : 'Error', message: metadata };
    }
    const exit = this.#spawn(container, await this.#environmentOf(container), log);
    await begun();
    const over = new AbortController();
    const probing = isInit ? Promise.resolve() : this.#probe(container, startedAt, last, over.signal);
    const exitCode = await exit;
    over.abort();
    await probing;
    this.#isReady = false;
    log.close();
    return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message: exitCode === 0 ? '' : log.tail(20) };
  }

  #spawn(container: ContainerSpec, environment: Record<string, string>, log: ContainerLog): Promise<number> {
    const argv = [...(container.command ?? []), ...(container.args ?? [])].map(part => this.#expand(part, environment));
    const [command = '', ...args] = argv;
    const child = spawn(command, args, {
      cwd: this.#located(container.workingDir ?? this.#folder),
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    child.stdout.on('data', (data: Buffer) => log.write(data.toString('utf8')));
    child.stderr.on('data', (data: Buffer) => log.write(data.toString('utf8')));
    // What had to end before there was a process to end.
    if (this.#over.signal.aborted) this.killContainer();
    return new Promise(resolve => {
      child.once('error', error => {
        log.write(`${String(error)}\n`);
        resolve(127);
      });
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
    });
  }

  /** As Kubernetes reads a command: `$(NAME)` is a variable, and `$$` a dollar sign. */
  #expand(part: string, environment: Readonly<Record<string, string>>): string {
    const expanded = part.replaceAll(/\$(\$|\((\w+)\))/g, (whole, what: string, name: string) =>
      what === '$' ? '$' : (environment[name] ?? whole),
    );
    return this.#located(expanded);
  }

  async #probe(container: ContainerSpec, startedAt: string, last: Json, signal: AbortSignal): Promise<void> {
    let isReady = false;
    while (!signal.aborted) {
      const failure = await this.#failureOf(container, signal);
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

  async #failureOf({ readinessProbe }: ContainerSpec, signal: AbortSignal): Promise<string | undefined> {
    const path = readinessProbe?.httpGet?.path;
    if (path !== undefined) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
      return fetch(`http://127.0.0.1:${this.port}${path}`, { signal: limit }).then(
        ({ status }) => (status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`),
        () => 'connection refused',
      );
    }
    return new Promise(resolve => {
      const socket = createConnection(this.port, '127.0.0.1')
        .once('connect', () => resolve(undefined))
        .once('connect', () => socket.destroy())
        .once('error', () => resolve('dial tcp: connection refused'));
    });
  }

  async #complain(message: string): Promise<void> {
    const about = { apiVersion: 'v1', kind: 'Pod', name: this.name, namespace: this.api.namespace };
    const now = new Date().toISOString();
    const name = `${this.name}.unhealthy`;
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: about,
      type: 'Warning',
      reason: 'Unhealthy',
      message,
      firstTimestamp: now,
      lastTimestamp: now,
    };
    await this.api
      .send('PATCH', `/events/${name}`, { message, lastTimestamp: now })
      .catch(() => this.api.send('POST', '/events', event))
      .catch(() => {});
  }

  async #report(phase: string, state: Json, lastState: Json = {}): Promise<void> {
    const [container] = podSpecOf(this.pod).containers;
    const now = new Date().toISOString();
    const condition = (type: string, isTrue: boolean) => ({
      type,
      status: isTrue ? 'True' : 'False',
      lastTransitionTime: now,
    });
    const status = {
      phase,
      podIP: '127.0.0.1',
      startTime: now,
      conditions: [
        condition('PodScheduled', true),
        condition('Ready', this.#isReady),
        condition('ContainersReady', this.#isReady),
      ],
      initContainerStatuses: this.#initStatus,
      containerStatuses:
        Object.keys(state).length === 0
          ? []
          : [
              {
                name: container?.name,
                ...STATIC,
                ready: this.#isReady,
                restartCount: this.#restarts,
                state,
                lastState,
              },
            ],
    };
    // The pod may be gone by now.
    await this.api.send('PATCH', `/pods/${this.name}/status`, { status }).catch(() => {});
  }

  async #mount(): Promise<void> {
    const { volumes = [], containers, initContainers = [] } = podSpecOf(this.pod);
    for (const { name, secret } of volumes) {
      const folder = join(this.#folder, 'volumes', name);
      await mkdir(folder, { recursive: true });
      if (!secret) continue;
      const data = await this.#secret(secret.secretName);
      const items = secret.items ?? Object.keys(data).map(key => ({ key, path: key }));
      for (const { key, path } of items) await writeFile(join(folder, path), data[key] ?? '');
    }
    const mounts = [...initContainers, ...containers].flatMap(({ volumeMounts = [] }) => volumeMounts);
    this.#mounts = [...new Map(mounts.map(({ name, mountPath }) => [mountPath, join(this.#folder, 'volumes', name)]))];
    this.port = await freePort();
  }

  async #missingImage(reference: string): Promise<string | undefined> {
    const image = await this.registry.find(reference);
    if (!image) return `Back-off pulling image "${reference}": not found`;
    this.#mounts = [
      ...this.#mounts.filter(([path]) => path !== '/app' && path !== '/postern'),
      ['/app', join(image, 'app')],
      ['/postern', join(image, 'postern')],
    ];
    return undefined;
  }

  #located(text: string): string {
    return this.#mounts.reduce(
      (path, [from, to]) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path),
      text,
    );
  }

  async #environmentOf({ env = [], envFrom = [], ports }: ContainerSpec): Promise<Record<string, string>> {
    const environment: Record<string, string> = {};
    for (const { secretRef } of envFrom) Object.assign(environment, await this.#secret(secretRef.name));
    for (const { name, value = '', valueFrom } of env) {
      const read = valueFrom ? (await this.#secret(valueFrom.secretKeyRef.name))[valueFrom.secretKeyRef.key] : value;
      environment[name] = this.#located(read ?? '');
    }
    if (ports) environment['PORT'] = String(this.port);
    return environment;
  }

  async #secret(name: string): Promise<Record<string, string>> {
    const { data = {} } = (await this.api.send('GET', `/secrets/${name}`)) as { data?: Record<string, string> };
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    );
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

const STATIC = { image: 'image', imageID: '', ready: false, restartCount: 0 };
