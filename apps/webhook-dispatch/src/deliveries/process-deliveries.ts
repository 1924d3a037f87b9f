import { Injectable } from '@nestjs/common';
import { ChangeNotices, Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { WebhookRepository } from '../webhooks/webhook-repository.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { EndpointWorker, MAX_REQUESTS } from './endpoint-worker.js';
import { type ClaimedDelivery, DeliveryQueue } from './ports.js';
import { WorkspaceShare } from './workspace-share.js';

const POLL_MS = 250;

/**
 * Attempts due deliveries, with one worker per endpoint. The endpoints of a workspace share its limits:
 *
 *   due ── claimed (lease of 30 s) ── waiting in its worker ── attempted (10 s) ── recorded
 */
@Injectable()
export class ProcessDeliveries {
  readonly #workers = new Map<string, { readonly worker: EndpointWorker; readonly workspaceId: string }>();
  readonly #shares = new Map<string, WorkspaceShare>();
  #wakeUp: (() => void) | undefined;
  #onEmpty: (() => void) | undefined;
  /** Whether a claim was requested since the last one began. */
  #claimRequested = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempts: AttemptDelivery,
    private readonly log: ServiceLog,
    webhooks: WebhookRepository,
    private readonly changes: ChangeNotices,
  ) {
    queue.onDue(() => this.#requestClaim());
    webhooks.onEnabled(() => this.#requestClaim());
  }

  /** Runs until the service stops; resolves when all attempts in progress are recorded. */
  @Every(1_000, 'process deliveries')
  async run({ signal: stop }: Pick<TaskRun, 'signal'>): Promise<void> {
    while (!stop.aborted) {
      this.#claimRequested = false;
      const claimed = await this.queue.claim(this.#claimLimits(), MAX_REQUESTS).catch(error => {
        this.#logFailure(error);
        return [];
      });
      const shares = new Set(claimed.map(delivery => this.#assign(delivery)));
      for (const share of shares) this.#startRequests(share);
      await this.#wait(stop);
    }
    for (const { worker } of this.#workers.values()) worker.release();
    while (!this.#isIdle) await new Promise<void>(resolve => (this.#onEmpty = resolve));
  }

  get #isIdle(): boolean {
    return [...this.#workers.values()].every(({ worker }) => worker.isEmpty);
  }

  #assign(delivery: ClaimedDelivery): WorkspaceShare {
    const { webhookId, serviceId, workspaceId } = delivery;
    const share = this.#shares.get(workspaceId) ?? new WorkspaceShare();
    this.#shares.set(workspaceId, share);
    const worker = this.#workers.get(webhookId)?.worker ?? new EndpointWorker(serviceId);
    this.#workers.set(webhookId, { worker, workspaceId });
    share.add(worker);
    worker.add(delivery);
    return share;
  }

  /** The claims of a replica are divided among the workspaces, and those of a workspace among its endpoints. */
  #claimLimits(): ReadonlyMap<string, number> {
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
        worker.claimLimit(partsOf(workspaceId)),
      ]),
    );
  }

  #startRequests(share: WorkspaceShare): void {
    for (const [worker, delivery] of share.next())
      void this.attempts
        .execute(delivery, () => {
          worker.onResponse();
          share.onResponse(worker.serviceId);
          this.#startRequests(share);
        })
        .catch(error => this.#logFailure(error))
        .finally(() => {
          worker.onRecorded();
          this.changes.add([`email-services/${delivery.serviceId}`]);
          this.#startRequests(share);
          if (worker.needsMore) this.#requestClaim();
          if (worker.isEmpty) this.#onEmpty?.();
        });
  }

  #requestClaim(): void {
    this.#claimRequested = true;
    this.#wakeUp?.();
  }

  #logFailure(err: unknown): void {
    this.log.error({ err }, 'The delivery queue failed; it will be retried');
  }

  /** Waits for a requested claim, or for the next poll. */
  #wait(stop: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        this.#wakeUp = undefined;
        // Requests within one turn of the event loop share one claim.
        setImmediate(resolve);
      };
      const timer = setTimeout(done, POLL_MS);
      stop.addEventListener('abort', done, { once: true });
      this.#wakeUp = done;
      if (stop.aborted || this.#claimRequested) done();
    });
  }
}
