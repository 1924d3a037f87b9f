import { Injectable } from '@nestjs/common';
import { Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { BuildQueue } from '../deployments/build-queue.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServiceSummaries } from '../services/web-service-summaries.js';
import { LeadershipTerm } from './leadership-term.js';
import { ReconcilerSettings } from './ports.js';
import { RuntimeScan } from './runtime-scan.js';
import { StepPlanner } from './step-planner.js';
import { WebServiceTasks } from './web-service-tasks.js';
import { WebServiceWorker } from './web-service-worker.js';

/** Interval at which a replica that does not lead tries again. */
const ELECTION_MS = 1_000;

/**
 * Reconciles the runtime with the state in the events, in the leading replica. It stores no other state, so that the next leader
 * resumes where this one stopped.
 */
@Injectable()
export class WebServicesReconciler {
  constructor(
    private readonly repository: WebServiceRepository,
    private readonly summaries: WebServiceSummaries,
    private readonly buildQueue: BuildQueue,
    private readonly planner: StepPlanner,
    private readonly tasks: WebServiceTasks,
    private readonly scan: RuntimeScan,
    private readonly settings: ReconcilerSettings,
    private readonly log: ServiceLog,
  ) {}

  /** Reconciles until leadership is lost, then aborts work in progress and waits for its end. */
  @Every(ELECTION_MS, 'reconcile web services', { onOneReplica: true })
  async run({ signal: lost }: Pick<TaskRun, 'signal'>): Promise<void> {
    const term = new LeadershipTerm(this.settings.concurrentBuilds, lost);
    const workers = new Map<string, WebServiceWorker>();
    const unsubscribe = this.repository.onChange(() => term.changes.notify());
    const unsubscribeScaled = this.repository.onScaled(() => term.scans.notify());
    // Unfinished work of a killed leader must be removed before workers report that it ended.
    await this.scan.atStart();
    const scanning = this.scan.repeat(workers, term);
    try {
      while (!term.isOver) {
        await this.#poll(workers, term);
        await term.changes.wait(this.settings.pollMs);
      }
    } finally {
      unsubscribe();
      unsubscribeScaled();
      await Promise.all([...workers.values()].map(worker => worker.detach()));
      await scanning;
    }
  }

  async #poll(workers: Map<string, WebServiceWorker>, term: LeadershipTerm): Promise<void> {
    const withWork = await this.summaries.withWork().catch(error => {
      if (!term.isOver)
        this.log.error({ err: error }, 'The web services with work could not be read; it will be retried');
      return [];
    });
    // Read once for all workers; if it cannot be read, they are served in the order of their attempts.
    if (withWork.length > 0) term.slots.setOrder(await this.buildQueue.webServiceIds().catch(() => []));
    for (const id of withWork) {
      if (!workers.has(id)) workers.set(id, new WebServiceWorker(id, this.planner, this.tasks, term, this.log));
    }
    const busy = new Set(withWork);
    for (const [id, worker] of workers) {
      if (busy.has(id) || !worker.idle) {
        worker.reconcile();
      } else {
        term.slots.release(id);
        workers.delete(id);
      }
    }
  }
}
