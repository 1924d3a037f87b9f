import { createHash, randomBytes } from 'node:crypto';
import type { AnyObject, Json } from './any-object.js';

interface Store {
  list(kind: string): AnyObject[];
  find(kind: string, name: string): AnyObject | undefined;
  put(object: AnyObject): AnyObject;
  delete(kind: string, name: string): void;
}

const isOwnedBy = (owner: AnyObject) => (object: AnyObject) =>
  object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
const isStaying = ({ metadata }: AnyObject) => metadata.deletionTimestamp === undefined;
const isReady = ({ status }: AnyObject) =>
  ((status?.['conditions'] ?? []) as readonly Json[]).some(({ type, status }) => type === 'Ready' && status === 'True');
const numberAt = (object: AnyObject, field: string): number => Number(object.spec?.[field] ?? 0);
const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

/** Acts like kube-controller-manager on Deployments, ReplicaSets, Jobs, autoscalers and objects without an owner. */
export class FakeControllers {
  #isDue = false;
  readonly #timer = setInterval(() => this.schedule(), 200);

  constructor(private readonly store: Store) {
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Schedules one run for all changes until then. */
  schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (const scaler of this.store.list('HorizontalPodAutoscaler')) this.#scale(scaler);
      for (const deployment of this.store.list('Deployment')) this.#deploy(deployment);
      for (const set of this.store.list('ReplicaSet')) this.#replicate(set);
      for (const job of this.store.list('Job')) this.#work(job);
      this.#collect();
    });
  }

  #scale(scaler: AnyObject): void {
    const { scaleTargetRef } = scaler.spec as { scaleTargetRef: { name: string } };
    const target = this.store.find('Deployment', scaleTargetRef.name);
    if (!target) return;
    const wanted = Math.min(
      numberAt(scaler, 'maxReplicas'),
      Math.max(numberAt(scaler, 'minReplicas'), numberAt(target, 'replicas')),
    );
    if (wanted !== numberAt(target, 'replicas'))
      this.store.put({ ...target, spec: { ...target.spec, replicas: wanted } });
  }

  /**
   * By the strategy `Recreate`, or rolling: no instance unavailable, and as many additional ones as the strategy
   * allows (100 %).
   */
  #deploy(deployment: AnyObject): void {
    const { template, replicas, strategy } = deployment.spec as {
      template: AnyObject;
      replicas: number;
      strategy?: { type: string };
    };
    const hash = createHash('sha256').update(canonical(template)).digest('hex').slice(0, 10);
    const name = `${deployment.metadata.name}-${hash}`;
    const sets = this.store.list('ReplicaSet').filter(isOwnedBy(deployment));
    const labels = { ...template.metadata.labels, 'pod-template-hash': hash };
    const current =
      sets.find(set => set.metadata.name === name) ??
      this.store.put({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name, labels, ownerReferences: [ownerOf(deployment)] },
        spec: { replicas: 0, template: { ...template, metadata: { ...template.metadata, labels } } },
      });
    const old = sets.filter(set => set.metadata.name !== name);
    const ownedBy = (set: AnyObject) => this.store.list('Pod').filter(isOwnedBy(set));
    const podsOf = (set: AnyObject) => ownedBy(set).filter(isStaying);
    const recreates = strategy?.type === 'Recreate';
    if (!recreates || old.flatMap(ownedBy).length === 0) this.#resize(current, replicas);
    const ready = podsOf(current).filter(isReady).length;
    // As many old instances as are still needed, ready ones first.
    let needed = recreates ? 0 : Math.max(0, replicas - ready);
    for (const set of old) {
      const keep = Math.min(podsOf(set).filter(isReady).length, needed, numberAt(set, 'replicas'));
      this.#resize(set, keep);
      needed -= keep;
    }
    const all = [current, ...old].flatMap(podsOf);
    const status = {
      observedGeneration: deployment.metadata.generation,
      replicas: all.length,
      updatedReplicas: podsOf(current).length,
      availableReplicas: all.filter(isReady).length,
      desired: sum(old.map(set => numberAt(set, 'replicas'))),
    };
    this.#setStatus(deployment, status);
  }

  #resize(set: AnyObject, replicas: number): void {
    const now = this.store.find('ReplicaSet', set.metadata.name);
    if (now && numberAt(now, 'replicas') !== replicas) this.store.put({ ...now, spec: { ...now.spec, replicas } });
  }

  #replicate(set: AnyObject): void {
    const pods = this.store.list('Pod').filter(isOwnedBy(set)).filter(isStaying);
    const missing = numberAt(set, 'replicas') - pods.length;
    const { template } = set.spec as { template: AnyObject };
    for (let count = 0; count < missing; count += 1) this.#makePod(set, template);
    const notReadyFirst = pods.toSorted((one, other) => Number(isReady(one)) - Number(isReady(other)));
    for (const { metadata } of notReadyFirst.slice(0, Math.max(0, -missing))) this.store.delete('Pod', metadata.name);
  }

  #work(job: AnyObject): void {
    if ((job.status?.['conditions'] as unknown[] | undefined)?.length) return;
    const pod = this.store.list('Pod').find(isOwnedBy(job));
    const { template, activeDeadlineSeconds, suspend } = job.spec as {
      template: AnyObject;
      activeDeadlineSeconds: number;
      suspend?: boolean;
    };
    if (suspend) {
      if (pod && isStaying(pod)) this.store.delete('Pod', pod.metadata.name);
      return;
    }
    if (!pod) {
      this.#makePod(job, template);
      return;
    }
    const age = Date.now() - Date.parse(job.metadata.creationTimestamp ?? '');
    const ended = (type: string, reason: string) => ({
      conditions: [{ type, status: 'True', reason, message: reason }],
      ...(type === 'Complete' && { completionTime: new Date().toISOString() }),
    });
    const phase = pod.status?.['phase'];
    if (phase === 'Succeeded') this.#setStatus(job, ended('Complete', 'CompletionsReached'));
    else if (phase === 'Failed') this.#setStatus(job, ended('Failed', 'BackoffLimitExceeded'));
    else if (age > activeDeadlineSeconds * 1_000) {
      this.store.delete('Pod', pod.metadata.name);
      this.#setStatus(job, ended('Failed', 'DeadlineExceeded'));
    }
  }

  #makePod(owner: AnyObject, template: AnyObject): void {
    const name = `${owner.metadata.name}-${randomBytes(3).toString('hex')}`;
    this.store.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name, ownerReferences: [ownerOf(owner)] },
      spec: template.spec ?? {},
      status: { phase: 'Pending' },
    });
  }

  #collect(): void {
    for (const kind of ['ReplicaSet', 'Pod'])
      for (const { metadata } of this.store.list(kind)) {
        const [owner] = metadata.ownerReferences ?? [];
        if (owner && this.store.find(owner.kind, owner.name)?.metadata.uid !== owner.uid)
          this.store.delete(kind, metadata.name);
      }
  }

  #setStatus({ kind, metadata }: AnyObject, status: Json): void {
    const now = this.store.find(kind, metadata.name);
    if (now && JSON.stringify(now.status) !== JSON.stringify(status)) this.store.put({ ...now, status });
  }
}

const ownerOf = ({ apiVersion, kind, metadata }: AnyObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
});

/** The order of fields, and the hash that ReplicaSets add, do not make a template different. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'pod-template-hash') return undefined;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
