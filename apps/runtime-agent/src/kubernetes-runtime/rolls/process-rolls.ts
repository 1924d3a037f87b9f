import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessStatus, ServicePlan } from '@postern/runtime';
import type { Cluster } from '../cluster.js';
import type { Deployment, KubernetesObject, Pod } from '../objects/kinds.js';
import { ANNOTATION, instanceOf, LABEL, OURS } from '../objects/names.js';
import { processDeployment, processesOf } from '../objects/process-objects.js';
import type { ServiceObjectSettings } from '../objects/service-objects.js';
import { endReason, isStaying, restartsOf, webOf } from './pod-failures.js';

/** Fewer restarts are not reported as a failure. */
const RESTARTS = 3;
/** A process that has run for this time after a failure has recovered. */
const RECOVERED_MS = 60_000;

export interface ProcessTimes {
  readonly pollMs: number;
  /** Maximum time until the last process has ended. */
  readonly terminationMs: number;
}

/** The processes of web services that get no traffic: one Deployment for each process type. */
export class ProcessRolls {
  constructor(
    private readonly cluster: Cluster,
    private readonly settings: ServiceObjectSettings,
    private readonly times: ProcessTimes,
  ) {}

  /** Runs the processes of a plan, and no others of its web service; sends no request for objects that are up to date. */
  async apply(plan: ServicePlan, found?: readonly Deployment[]): Promise<void> {
    const { webServiceId } = plan;
    const existing = (found ?? (await this.list(webServiceId))).filter(
      ({ metadata }) => metadata.labels?.[LABEL.processOf] === webServiceId,
    );
    const wanted = processesOf(plan).map(process => processDeployment(plan, process, this.settings));
    for (const manifest of wanted) {
      const before = existing.find(({ metadata }) => metadata.name === manifest.metadata.name);
      if (!before || appliedOf(before) !== appliedOf(manifest)) await this.cluster.apply(manifest);
    }
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    for (const { metadata } of existing)
      if (!names.has(metadata.name)) await this.cluster.remove({ kind: 'Deployment', name: metadata.name });
  }

  /** The Deployments of a web service, or of all. */
  list(webServiceId?: string): Promise<readonly Deployment[]> {
    return this.cluster.list<Deployment>('Deployment', selectorOf(webServiceId));
  }

  /** No process runs when it returns. */
  async stop(webServiceId: string): Promise<void> {
    for (const { metadata } of await this.list(webServiceId))
      await this.cluster.remove({ kind: 'Deployment', name: metadata.name });
    const end = performance.now() + this.times.terminationMs;
    while ((await this.#pods(webServiceId)).length > 0) {
      if (performance.now() > end) throw new Error(`processes of ${webServiceId} are not gone`);
      await pause(this.times.pollMs);
    }
  }

  /** The status by process type; undefined if there are no processes. */
  async statusOf(webServiceId: string): Promise<Readonly<Record<string, ProcessStatus>> | undefined> {
    const deployments = await this.list(webServiceId);
    if (deployments.length === 0) return undefined;
    const pods = (await this.#pods(webServiceId)).filter(isStaying);
    return Object.fromEntries(
      deployments.map(({ metadata }) => {
        const type = metadata.annotations?.[ANNOTATION.processType] ?? '';
        const own = pods.filter(pod => pod.metadata.annotations?.[ANNOTATION.processType] === type);
        const instances = own.filter(pod => webOf(pod)?.state?.running).length;
        return [type, { instances, failure: own.map(failureOf).find(reason => reason !== null) ?? null }];
      }),
    );
  }

  #pods(webServiceId: string): Promise<readonly Pod[]> {
    return this.cluster.list<Pod>('Pod', selectorOf(webServiceId));
  }
}

const selectorOf = (webServiceId?: string): string =>
  `${OURS},${LABEL.processOf}${webServiceId === undefined ? '' : `=${webServiceId}`}`;

const appliedOf = ({ metadata }: KubernetesObject): string | undefined => metadata.annotations?.[ANNOTATION.applied];

/** Why a process is restarted repeatedly; null if it is not. */
const failureOf = (pod: Pod): string | null => {
  const { state, lastState } = webOf(pod) ?? {};
  const ended = state?.terminated ?? lastState?.terminated;
  const since = Date.parse(state?.running?.startedAt ?? '');
  if (!ended || restartsOf(pod) < RESTARTS || Date.now() - since > RECOVERED_MS) return null;
  const seconds = Math.max(1, Math.round((Date.now() - Date.parse(pod.metadata.creationTimestamp ?? '')) / 1_000));
  return `restarted ${restartsOf(pod)} times in ${seconds} s: ${instanceOf(pod)} ${endReason(ended)}`;
};
