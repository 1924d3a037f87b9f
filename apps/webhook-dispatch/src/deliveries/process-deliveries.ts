import { Injectable } from '@nestjs/common';
import { ChangeNotices, Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { WebhookRepository } from '../webhooks/webhook-repository.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { EndpointWorker, MAX_REQUESTS } from './endpoint-worker.js';
import { type Dispatcher, Partitions } from './partitions.js';
import { DeliveryQueue, type DueDelivery } from './ports.js';
import { WorkspaceShare } from './workspace-share.js';

const POLL_MS = 250;
const BALANCE_MS = 1_000;

interface AssignedWorker {
  readonly worker: EndpointWorker;
  readonly workspaceId: string;
  readonly partition: number;
}

/**
 * Attempts due deliveries of the workspaces in its partitions, with one worker per endpoint. The endpoints of a workspace share its
 * limits:
 *
 *   due ── read ── waiting in its worker ── attempted (10 s) ── recorded
 */
@Injectable()
export class ProcessDeliveries {
  readonly #workers = new Map<string, AssignedWorker>();
  readonly #shares = new Map<string, WorkspaceShare>();
  /** Workers whose rate limit permits their next request later. */
  readonly #delayed = new Set<EndpointWorker>();
  #balancedAt = Number.NEGATIVE_INFINITY;
  #wakeUp: (() => void) | undefined;
  #onEmpty: (() => void) | undefined;
  /** Whether a read was requested since the last one began. */
  #readRequested = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempts: AttemptDelivery,
    private readonly partitions: Partitions,
    private readonly log: ServiceLog,
    webhooks: WebhookRepository,
    private readonly changes: ChangeNotices,
  ) {
    queue.onDue(() => this.#requestRead());
    webhooks.onEnabled(() => this.#requestRead());
    partitions.onLost(() => this.#lose());
  }

  /** Runs until the service stops; resolves when all attempts in progress are recorded and its partitions are free. */
  @Every(1_000, 'process deliveries')
  async run({ signal: stop }: Pick<TaskRun, 'signal'>): Promise<void> {
    while (!stop.aborted) {
      this.#readRequested = false;
      await this.#round().catch(error => this.#logFailure(error));
      await this.#wait(stop);
    }
    for (const { worker } of this.#workers.values()) worker.release();
    while (!this.#isIdle) {
      const empty = new Promise<void>(resolve => (this.#onEmpty = resolve));
      await this.partitions.leave(this.#isIdleIn).catch(error => this.#logFailure(error));
      if (!this.#isIdle) await empty;
    }
    await this.partitions.end();
  }

  async #round(): Promise<void> {
    if (performance.now() - this.#balancedAt >= BALANCE_MS) {
      await this.partitions.balance(this.#isIdleIn);
      this.#balancedAt = performance.now();
      for (const { worker, partition } of this.#workers.values())
        if (this.partitions.isLeaving(partition)) worker.release();
    }
    const { dispatcher, served } = this.partitions;
    if (!dispatcher || served.length === 0) return;
    const limits = this.#readLimits();
    const inProgress = [...this.#workers.values()].flatMap(({ worker }) => [...worker.ids]);
    const request = { dispatcher: dispatcher.name, partitions: served, limits, defaultLimit: MAX_REQUESTS, inProgress };
    const due = await this.queue.due(request);
    if (!dispatcher.isAlive) return;
    const shares = new Set(due.map(delivery => this.#assign(delivery)));
    for (const share of shares) this.#startRequests(share);
  }

  get #isIdle(): boolean {
    return [...this.#workers.values()].every(({ worker }) => worker.isEmpty);
  }

  readonly #isIdleIn = (partition: number): boolean =>
    [...this.#workers.values()].every(({ worker, partition: of }) => of !== partition || worker.isEmpty);

  #assign(delivery: DueDelivery): WorkspaceShare {
    const { webhookId, serviceId, workspaceId, partition } = delivery;
    const share = this.#shares.get(workspaceId) ?? new WorkspaceShare();
    this.#shares.set(workspaceId, share);
    const worker = this.#workers.get(webhookId)?.worker ?? new EndpointWorker(serviceId);
    this.#workers.set(webhookId, { worker, workspaceId, partition });
    share.add(worker);
    worker.add(delivery, this.partitions.ownedSince(partition));
    return share;
  }

  /** What a process reads is divided among the workspaces, and that of a workspace among its endpoints. */
  #readLimits(): ReadonlyMap<string, number> {
    for (const [webhookId, { worker, workspaceId }] of this.#workers) {
      if (!worker.isIdle) continue;
      this.#workers.delete(webhookId);
      const share = this.#shares.get(workspaceId);
      share?.remove(worker);
      if (share?.size === 0) this.#shares.delete(workspaceId);
    }
    const partsOf = (workspaceId: string) => this.#shares.size * (this.#shares.get(workspaceId)?.size ?? 1);
    return new Map(
      [...this.#workers].map(([webhookId, { worker, workspaceId }]) => [
        webhookId,
        worker.readLimit(partsOf(workspaceId)),
      ]),
    );
  }

  #startRequests(share: WorkspaceShare): void {
    const { dispatcher } = this.partitions;
    if (!dispatcher) return;
    for (const [worker, delivery] of share.next()) void this.#attempt(dispatcher, share, worker, delivery);
    for (const worker of share.workers) this.#startLater(share, worker);
  }

  async #attempt(
    dispatcher: Dispatcher,
    share: WorkspaceShare,
    worker: EndpointWorker,
    delivery: DueDelivery,
  ): Promise<void> {
    const onResponse = () => {
      worker.onResponse();
      share.onResponse(worker.serviceId);
      this.#startRequests(share);
    };
    const outcome = await this.attempts
      .execute(delivery, { onResponse, maySend: () => dispatcher.isAlive })
      .catch(error => this.#logFailure(error));
    worker.onRecorded(delivery, outcome === 'accepted' || outcome === 'refused');
    this.changes.add([`email-services/${delivery.serviceId}`]);
    this.#startRequests(share);
    if (worker.needsMore) this.#requestRead();
    if (worker.isEmpty) this.#onEmpty?.();
  }

  #startLater(share: WorkspaceShare, worker: EndpointWorker): void {
    const inMs = worker.startsInMs;
    if (inMs === undefined || inMs === 0 || this.#delayed.has(worker)) return;
    this.#delayed.add(worker);
    const start = () => {
      this.#delayed.delete(worker);
      this.#startRequests(share);
    };
    setTimeout(start, inMs).unref();
  }

  /** Other processes attempt what waits here. */
  #lose(): void {
    this.log.warn({}, 'Lost the lease of this dispatcher; other processes send its deliveries');
    for (const { worker } of this.#workers.values()) worker.release();
    this.#balancedAt = Number.NEGATIVE_INFINITY;
    this.#requestRead();
  }

  #requestRead(): void {
    this.#readRequested = true;
    this.#wakeUp?.();
  }

  #logFailure(err: unknown): undefined {
    this.log.error({ err }, 'The delivery queue failed; it will be retried');
  }

  /** Waits for a requested read, or for the next poll. */
  #wait(stop: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        this.#wakeUp = undefined;
        // Requests within one turn of the event loop share one read.
        setImmediate(resolve);
      };
      const timer = setTimeout(done, POLL_MS);
      stop.addEventListener('abort', done, { once: true });
      this.#wakeUp = done;
      if (stop.aborted || this.#readRequested) done();
    });
  }
}
