import {
  type BuildOrder,
  type BuiltArtefact,
  imageReferenceIn,
  type LogPage,
  type LogPageQuery,
  type LogQuery,
  type LogStream,
  type LogWriter,
  type ResolvedSource,
  type RoutedDomain,
  Runtime,
  type RuntimeFeature,
  type RuntimeStatus,
  type ServicePlan,
  type ServiceUsage,
  type Source,
  SourceUnavailable,
  type TrafficReading,
} from '@postern/runtime';
import type { FakeMachine } from './fake-machine.js';

/** The digest of every image. */
export const IMAGE_DIGEST = `sha256:${'a'.repeat(64)}`;

/** The runtime of one process on a fake machine. After a kill, its calls fail and no longer change the machine. */
export class FakeRuntime extends Runtime {
  #dead = false;
  readonly #killed = Promise.withResolvers<never>();

  constructor(readonly machine: FakeMachine) {
    super();
    this.#killed.promise.catch(() => {});
  }

  override async isReachable(): Promise<boolean> {
    return this.machine.reachable;
  }

  override async features(): Promise<ReadonlySet<RuntimeFeature>> {
    return this.machine.features;
  }

  override async routeDomains(domains: readonly RoutedDomain[]): Promise<void> {
    this.machine.domains = domains;
  }

  kill(): void {
    this.#dead = true;
    this.#killed.reject(new Error('the process was killed'));
    this.machine.forgetChanges();
  }

  override async resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource> {
    const { repositoryUrl, branch, credentials } = source;
    this.machine.sources.push(source);
    await this.#until(() => this.machine.script.resolve(repositoryUrl, branch), signal);
    if (imageReferenceIn(repositoryUrl) !== undefined) return { commit: IMAGE_DIGEST };
    const name = branch ?? 'main';
    const commit = this.machine.branches.get(name);
    if (commit === undefined) throw new SourceUnavailable(`the repository has no branch ${name}`);
    const isFirst = credentials?.ssh !== undefined && credentials.ssh.knownHosts === undefined;
    return { branch: name, commit, ...(isFirst && { hostKeys: this.machine.hostKeys }) };
  }

  override async build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact> {
    const { artefacts, builds, script } = this.machine;
    const done = artefacts.get(order.deploymentId);
    if (done) return done;
    this.machine.orders.push(order);
    builds.set(order.deploymentId, this);
    output.write('build', `building ${order.commit} with ${JSON.stringify(order.environment)}\n`);
    try {
      await this.#until(() => script.build(order), signal);
    } catch (error) {
      await this.#alive(script.cleanUp);
      builds.delete(order.deploymentId);
      throw error;
    }
    builds.delete(order.deploymentId);
    const { description } = this.machine;
    const artefact = { reference: `artefact-${order.deploymentId}`, commit: order.commit, description };
    artefacts.set(order.deploymentId, artefact);
    return artefact;
  }

  override async roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    const { machine } = this;
    const before = machine.traffic.get(plan.webServiceId);
    machine.begin(plan.webServiceId);
    machine.rolls.push(plan);
    machine.run(plan);
    try {
      await this.#until(() => machine.script.roll(plan), signal);
      machine.traffic.set(plan.webServiceId, plan.rollId);
      machine.remove(plan.webServiceId, plan.rollId);
    } catch (error) {
      await this.#alive(machine.script.cleanUp);
      if (before !== plan.rollId) machine.instances.get(plan.webServiceId)?.delete(plan.rollId);
      machine.end(plan.webServiceId);
      throw error;
    }
    machine.end(plan.webServiceId);
  }

  override async stop(webServiceId: string): Promise<void> {
    const { machine } = this;
    machine.begin(webServiceId);
    await this.#alive(() => machine.script.stop(webServiceId));
    machine.traffic.delete(webServiceId);
    machine.remove(webServiceId);
    machine.end(webServiceId);
  }

  override async remove(webServiceId: string): Promise<void> {
    const { machine } = this;
    await this.#alive(() => machine.script.remove(webServiceId));
    machine.traffic.delete(webServiceId);
    machine.instances.delete(webServiceId);
    machine.removed.add(webServiceId);
  }

  override async reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void> {
    const { machine } = this;
    await this.#alive(machine.script.reconcile);
    for (const [deploymentId, owner] of machine.builds) if (owner !== this) machine.builds.delete(deploymentId);
    const isRolling = (id: string) => rolling.has(id) || machine.rollsOf(id).some(rollId => rolling.has(rollId));
    const plans = new Map(expected.map(plan => [plan.webServiceId, plan]));
    for (const id of new Set([...machine.instances.keys(), ...plans.keys()])) {
      if (isRolling(id)) continue;
      const plan = plans.get(id);
      if (plan) {
        machine.run(plan);
        machine.traffic.set(id, plan.rollId);
      } else {
        machine.traffic.delete(id);
      }
      machine.remove(id, plan?.rollId);
    }
  }

  override async statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    const plan = this.machine.serving(webServiceId);
    if (!plan) return undefined;
    const lastFailure = this.machine.unhealthy.get(webServiceId);
    const instances = plan.minInstances;
    const restarts = this.machine.restarts.get(webServiceId) ?? 0;
    return {
      rollId: plan.rollId,
      healthy: lastFailure === undefined ? instances : 0,
      instances,
      lastFailure,
      restarts,
    };
  }

  override async usage(): Promise<readonly ServiceUsage[]> {
    return [];
  }

  override async urlOf(webServiceId: string): Promise<string> {
    const { domain } = this.machine;
    return domain ? `https://service-${webServiceId.slice(-8)}.${domain}` : `http://127.0.0.1/${webServiceId}`;
  }

  override async logs(webServiceId: string, { tail, since = 0, until = Infinity, streams, instance }: LogQuery) {
    return this.machine.lines
      .filter(line => line.webServiceId === webServiceId && line.timestamp.getTime() >= since * 1000)
      .filter(line => line.timestamp.getTime() <= until * 1000 && (streams?.includes(line.stream) ?? true))
      .filter(line => instance === undefined || line.instance === instance)
      .slice(-tail)
      .map(({ webServiceId: _, ...line }) => line);
  }

  override async logPage(webServiceId: string, query: LogPageQuery): Promise<LogPage> {
    const { after, tail, maxLines, instance, counted } = query;
    const lines = this.machine.lines
      .filter(line => line.webServiceId === webServiceId && (instance ?? line.instance) === line.instance)
      .map(({ webServiceId: _, ...line }, index) => ({ ...line, id: `1-${index + 1}` }));
    const wanted = after === undefined ? Math.max(0, lines.length - tail) : Number(after.slice(2));
    const from = Math.max(wanted, this.machine.deletedLines);
    const page = lines.slice(from, from + maxLines);
    const next = from + page.length;
    const counts = counted ? { before: next, after: lines.length - next } : undefined;
    return { lines: page, next: `1-${next}`, hasMore: next < lines.length, isIncomplete: from > wanted, counts };
  }

  override logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter {
    return {
      write: (stream: LogStream, chunk) => {
        if (this.#dead) return;
        const text = redact.reduce((masked, secret) => masked.replaceAll(secret, '********'), String(chunk));
        const lines = text.split('\n').filter(line => line !== '');
        for (const message of lines) {
          this.machine.lines.push({ webServiceId, instance, stream, message, timestamp: new Date() });
        }
      },
      close: () => this.#alive(() => {}),
    };
  }

  override async readTraffic(): Promise<TrafficReading> {
    return { epoch: '', services: [] };
  }

  override async confirmTraffic(): Promise<void> {}

  override async retainArtefacts(keep: ReadonlySet<string>): Promise<void> {
    const { artefacts, kept } = this.machine;
    kept.push(keep);
    for (const [deploymentId, { reference }] of artefacts) if (!keep.has(reference)) artefacts.delete(deploymentId);
  }

  async #alive(work: () => Promise<void> | void): Promise<void> {
    if (this.#dead) return this.#killed.promise;
    await Promise.race([this.#killed.promise, work()]);
  }

  async #until(work: () => Promise<void> | void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#alive(() => Promise.race([work(), aborted]));
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
