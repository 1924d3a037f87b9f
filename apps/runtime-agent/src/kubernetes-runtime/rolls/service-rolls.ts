import { setTimeout as pause } from 'node:timers/promises';
import { RollFailed, type RuntimeStatus, type ServicePlan } from '@postern/runtime';
import { type Cluster, ClusterError, type ObjectName } from '../cluster.js';
import type { JobCommands } from '../commands/job-commands.js';
import { diskClaim } from '../objects/disk-objects.js';
import type { Deployment, Manifest, Pod, PodTemplate, ReplicaSet } from '../objects/kinds.js';
import { ANNOTATION, diskName, LABEL, OURS, ofService, releaseName, serviceName } from '../objects/names.js';
import {
  addressObjects,
  autoscaler,
  deployment,
  deploymentAround,
  disruptionBudget,
  instanceCount,
  releaseSecret,
  type ServiceObjectSettings,
} from '../objects/service-objects.js';
import { hasFailedPermanently, isReady, isStaying, lastFailureOf, restartsOf, whyNotReady } from './pod-failures.js';
import type { ProcessRolls } from './process-rolls.js';

export interface RollTimes {
  readonly pollMs: number;
  /** Maximum time until the last instance of a removed object has ended. */
  readonly terminationMs: number;
}

export const ROLL_TIMES: RollTimes = { pollMs: 500, terminationMs: 120_000 };

/** Field manager of the number of instances if there is no autoscaler. */
const COUNTER = 'postern-instances';
const MAX_SECRET_BYTES = 1_000_000;

/** Carries out plans as Deployments. Several processes may read; only the leader may write. */
export class ServiceRolls {
  constructor(
    private readonly cluster: Cluster,
    private readonly settings: ServiceObjectSettings,
    private readonly mask: (text: string, secrets: readonly string[]) => string,
    private readonly times: RollTimes,
    private readonly commands: JobCommands,
    private readonly processes: ProcessRolls,
  ) {}

  async roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const before = await this.#find(plan.webServiceId);
    if (before && liveRollOf(before) === plan.rollId && rollOf(before) === plan.rollId) return;
    requireSecretSize(plan);
    const deadline = performance.now() + plan.deadlineMs;
    try {
      await this.commands.requireProcesses(plan, signal);
      await this.commands.release(plan, signal);
      await this.ensureAddress(plan.webServiceId, plan.name);
      await this.#provideDisk(plan);
      await this.cluster.apply(releaseSecret(plan));
      await this.cluster.apply(deployment(plan, this.settings));
      // A running Deployment keeps the instance count of the earlier release until this release is ready.
      if (!before) await this.#count(plan);
      await this.#untilReady(plan, deadline, signal);
    } catch (error) {
      await this.#undo(plan);
      throw error;
    }
    await this.#settle(plan);
    await this.#untilAlone(plan, deadline, signal);
  }

  async stop(webServiceId: string): Promise<void> {
    await this.commands.end(webServiceId, 'stopped because the web service was stopped');
    const name = serviceName(webServiceId);
    for (const kind of ['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'Deployment'] as const)
      await this.cluster.remove({ kind, name });
    await this.processes.stop(webServiceId);
    await this.#untilTerminated(ofService(webServiceId));
    await this.#removeReleases(webServiceId, undefined);
  }

  async reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void> {
    const found = new Map<string, Manifest>();
    for (const kind of ['Deployment', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'Service', 'Secret'] as const)
      for (const object of await this.cluster.list<Manifest>(kind, `${OURS},${LABEL.webService}`))
        found.set(`${kind} ${object.metadata.name}`, object);

    const processes = await this.processes.list();
    const settled = expected.filter(({ webServiceId }) => !rolling.has(webServiceId));
    for (const plan of settled) {
      await this.#restore(plan, found);
      await this.processes.apply(plan, processes);
    }

    const wanted = new Set([...rolling, ...expected.map(({ webServiceId }) => webServiceId)]);
    const strays = [...[...found.values()].filter(({ kind }) => kind !== 'Service'), ...processes]
      .map(({ metadata: { labels = {} } }) => labels[LABEL.webService] ?? labels[LABEL.processOf] ?? '')
      .filter(id => !wanted.has(id));
    // Each stop takes as long as its instances need to end.
    await Promise.all([...new Set(strays)].map(webServiceId => this.stop(webServiceId)));
  }

  async statusOf(webServiceId: string): Promise<RuntimeStatus | undefined> {
    const found = await this.#find(webServiceId);
    const rollId = found && (liveRollOf(found) ?? rollOf(found));
    if (!rollId) return undefined;
    const pods = (await this.#pods(webServiceId)).filter(pod => isOfRoll(pod, rollId) && isStaying(pod));
    const lastFailure = pods.map(lastFailureOf).find(reason => reason !== undefined);
    const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
    const processes = await this.processes.statusOf(webServiceId);
    return { rollId, healthy: pods.filter(isReady).length, instances: pods.length, lastFailure, restarts, processes };
  }

  async ensureAddress(webServiceId: string, name: string): Promise<void> {
    for (const manifest of addressObjects(webServiceId, name, this.settings)) await this.cluster.apply(manifest);
  }

  async removeAddress(webServiceId: string): Promise<void> {
    for (const { kind, metadata } of addressObjects(webServiceId, '', this.settings))
      await this.cluster.remove({ kind: kind as ObjectName['kind'], name: metadata.name });
  }

  /** Deletes the disk of a web service, with its files. */
  async removeDisk(webServiceId: string): Promise<void> {
    await this.cluster.remove({ kind: 'PersistentVolumeClaim', name: diskName(webServiceId) });
  }

  /** Images that some instance runs, or is about to run. */
  async imagesInUse(): Promise<readonly string[]> {
    const sets = await this.cluster.list<ReplicaSet>('ReplicaSet', `${OURS},${LABEL.roll}`);
    const used = sets.filter(({ spec, ...set }) => replicasOf({ spec, ...set }) > 0);
    return used.flatMap(({ spec }) => {
      const { containers = [] } = spec.template.spec as { containers?: readonly { readonly image: string }[] };
      return containers.map(({ image }) => image);
    });
  }

  /** @throws RollFailed if the cluster refuses the claim, for example a larger size. */
  async #provideDisk(plan: ServicePlan): Promise<void> {
    const claim = diskClaim(plan, this.settings);
    if (!claim) return;
    await this.cluster.apply(claim).catch((error: unknown) => {
      if (!(error instanceof ClusterError) || error.status >= 500) throw error;
      throw new RollFailed(`the disk cannot be provided: ${error.message}`);
    });
  }

  /** From here on, this release gets the traffic, and the number of instances is that of its plan. */
  async #settle(plan: ServicePlan): Promise<void> {
    const { webServiceId, rollId } = plan;
    await this.cluster.merge(
      { kind: 'Deployment', name: serviceName(webServiceId) },
      { metadata: { annotations: { [ANNOTATION.live]: rollId } } },
    );
    await this.cluster.apply(disruptionBudget(plan));
    await this.#scale(plan);
    await this.processes.apply(plan);
    await this.#removeReleases(webServiceId, rollId);
  }

  async #scale(plan: ServicePlan): Promise<void> {
    const scaler = autoscaler(plan, this.settings);
    if (scaler) {
      await this.cluster.apply(scaler);
      return;
    }
    await this.cluster.remove({ kind: 'HorizontalPodAutoscaler', name: serviceName(plan.webServiceId) });
    await this.#count(plan);
  }

  async #count({ webServiceId, minInstances }: ServicePlan): Promise<void> {
    await this.cluster.apply(instanceCount(webServiceId, minInstances), COUNTER);
  }

  /** Sends no request for objects that exist and are up to date. */
  async #restore(plan: ServicePlan, found: ReadonlyMap<string, Manifest>): Promise<void> {
    const { webServiceId, rollId } = plan;
    const isMissing = ({ kind, metadata }: Manifest): boolean => {
      const there = found.get(`${kind} ${metadata.name}`);
      return !there || appliedOf(there) !== appliedOf({ metadata });
    };
    const service = { kind: 'Service', metadata: { name: serviceName(webServiceId) } } as Manifest;
    if (isMissing(service)) await this.ensureAddress(webServiceId, plan.name);
    const before = found.get(`Deployment ${serviceName(webServiceId)}`);
    for (const manifest of [releaseSecret(plan), deployment(plan, this.settings), disruptionBudget(plan)])
      if (isMissing(manifest)) await this.cluster.apply(manifest);
    const scaler = autoscaler(plan, this.settings);
    const scaled = found.get(`HorizontalPodAutoscaler ${serviceName(webServiceId)}`);
    if (!before) await this.#count(plan);
    if (scaler ? isMissing(scaler) : scaled || (before as Deployment | undefined)?.spec.replicas !== plan.minInstances)
      await this.#scale(plan);
    if (before?.metadata.annotations?.[ANNOTATION.live] !== rollId) await this.#settle(plan);
  }

  async #untilReady(plan: ServicePlan, deadline: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const found = await this.#find(plan.webServiceId);
      if (found && isRolledOut(found) && rollOf(found) === plan.rollId) return;
      const pods = (await this.#pods(plan.webServiceId)).filter(pod => isOfRoll(pod, plan.rollId));
      if (performance.now() >= deadline || pods.some(hasFailedPermanently))
        throw new RollFailed(this.mask(await whyNotReady(this.cluster, found, pods), plan.secrets));
      await pause(this.times.pollMs, undefined, { signal }).catch(() => {});
    }
  }

  /**
   * Waits until the older instances have finished their requests, and the number of instances is complete. Neither is
   * a condition of the release, because its ready instances already get the traffic.
   */
  async #untilAlone({ webServiceId, rollId, minInstances }: ServicePlan, deadline: number, signal: AbortSignal) {
    while (performance.now() < deadline && !signal.aborted) {
      const found = await this.#find(webServiceId);
      const older = (await this.#pods(webServiceId)).filter(pod => !isOfRoll(pod, rollId));
      const enough = found && isRolledOut(found) && (found.status?.availableReplicas ?? 0) >= minInstances;
      if (!found || (enough && older.length === 0)) return;
      await pause(this.times.pollMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Restores the template that gets the traffic; stops the web service if there is none. */
  async #undo({ webServiceId, rollId }: ServicePlan): Promise<void> {
    const found = await this.#find(webServiceId);
    const live = found && liveRollOf(found);
    const earlier = live && live !== rollId ? await this.#templateOf(webServiceId, live) : undefined;
    if (!earlier) return this.stop(webServiceId);
    await this.cluster.apply(deploymentAround(webServiceId, earlier));
    await this.#untilTerminated(`${ofService(webServiceId)},${LABEL.roll}=${rollId}`);
    await this.cluster.remove({ kind: 'Secret', name: releaseName(rollId) });
  }

  /** Like `kubectl rollout undo`: the ReplicaSets contain the recent templates. */
  async #templateOf(webServiceId: string, rollId: string): Promise<PodTemplate | undefined> {
    const selector = `${ofService(webServiceId)},${LABEL.roll}=${rollId}`;
    const template = (await this.cluster.list<ReplicaSet>('ReplicaSet', selector))[0]?.spec.template;
    if (!template) return undefined;
    const { 'pod-template-hash': _, ...labels } = template.metadata.labels ?? {};
    return { ...template, metadata: { ...template.metadata, labels } };
  }

  async #untilTerminated(selector: string): Promise<void> {
    const deadline = performance.now() + this.times.terminationMs;
    while ((await this.cluster.list<Pod>('Pod', selector)).length > 0) {
      if (performance.now() > deadline)
        throw new Error(`instances (${selector}) are not gone after ${this.times.terminationMs} ms`);
      await pause(this.times.pollMs);
    }
  }

  async #removeReleases(webServiceId: string, kept: string | undefined): Promise<void> {
    for (const { metadata } of await this.cluster.list('Secret', `${ofService(webServiceId)},${LABEL.roll}`))
      if (metadata.labels?.[LABEL.roll] !== kept) await this.cluster.remove({ kind: 'Secret', name: metadata.name });
  }

  async #find(webServiceId: string): Promise<Deployment | undefined> {
    const found = await this.cluster.find<Deployment>({ kind: 'Deployment', name: serviceName(webServiceId) });
    return found?.metadata.deletionTimestamp ? undefined : found;
  }

  #pods(webServiceId: string): Promise<readonly Pod[]> {
    return this.cluster.list<Pod>('Pod', ofService(webServiceId));
  }
}

const liveRollOf = ({ metadata }: Deployment): string | undefined => metadata.annotations?.[ANNOTATION.live];
const rollOf = ({ spec }: Deployment): string | undefined => spec.template.metadata.labels?.[LABEL.roll];
const appliedOf = ({ metadata }: Pick<Manifest, 'metadata'>): string | undefined =>
  metadata.annotations?.[ANNOTATION.applied];
const isOfRoll = ({ metadata }: Pod, rollId: string): boolean => metadata.labels?.[LABEL.roll] === rollId;
const replicasOf = ({ spec }: ReplicaSet): number => (spec as { readonly replicas?: number }).replicas ?? 0;

/** All instances have the newest template and are ready, and no older instance is left. */
const isRolledOut = ({ metadata, spec, status }: Deployment): boolean => {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  const wanted = spec.replicas ?? 1;
  return (
    observedGeneration >= (metadata.generation ?? 0) &&
    updatedReplicas === wanted &&
    replicas === wanted &&
    availableReplicas >= wanted
  );
};

/** A Secret holds at most one mebibyte. */
const requireSecretSize = ({ environment }: ServicePlan): void => {
  const bytes = Object.entries(environment).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  if (bytes > MAX_SECRET_BYTES)
    throw new RollFailed(`the variables are ${bytes} bytes; Kubernetes takes ${MAX_SECRET_BYTES} at most`);
};
