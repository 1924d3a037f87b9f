import { Injectable } from '@nestjs/common';
import { RuntimeUnavailable } from '@postern/runtime';
import { ServiceLog } from '@postern/service-host';
import { CheckAvailability } from './check-availability.js';
import { DeleteOldArtefacts } from './delete-old-artefacts.js';
import type { LeadershipTerm } from './leadership-term.js';
import { ReconcilerSettings } from './ports.js';
import { ReconcileRuntime } from './reconcile-runtime.js';
import type { WebServiceWorker } from './web-service-worker.js';

/** Runs checks of the whole runtime. No build, roll or stop starts during a check. */
@Injectable()
export class RuntimeScan {
  #running: Promise<unknown> = Promise.resolve();
  #cleanedUpAt = 0;

  constructor(
    private readonly reconcileRuntime: ReconcileRuntime,
    private readonly availability: CheckAvailability,
    private readonly oldArtefacts: DeleteOldArtefacts,
    private readonly settings: ReconcilerSettings,
    private readonly log: ServiceLog,
  ) {}

  /** Resolves when no exclusive check runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Reconciles the runtime before the first step. Errors are only logged, so that deadlines are still enforced. */
  async atStart(): Promise<void> {
    await this.#exclusive('reconcile the runtime', async () => {
      const resumed = await this.reconcileRuntime.resumed();
      await this.reconcileRuntime.run(() => resumed);
    });
  }

  /** Scans periodically until the term is over. */
  async repeat(workers: ReadonlyMap<string, WebServiceWorker>, term: LeadershipTerm): Promise<void> {
    const changing = () => new Set([...workers.values()].flatMap(worker => worker.changing));
    for (;;) {
      await term.scans.wait(this.settings.reconcileMs);
      if (term.isOver) break;
      await this.#exclusive('reconcile the runtime', () => this.reconcileRuntime.run(changing));
      await this.#logged('check the availability of web services', () => this.availability.run(changing));
      if (term.slots.taken === 0) await this.cleanUp();
    }
    this.availability.end();
  }

  /** Deletes old artefacts if it is due. The caller ensures that no build runs; none starts during the deletion. */
  async cleanUp(): Promise<void> {
    if (Date.now() - this.#cleanedUpAt < this.settings.retainMs) return;
    this.#cleanedUpAt = Date.now();
    await this.#exclusive('delete old artefacts', () => this.oldArtefacts.run());
  }

  async #exclusive(name: string, work: () => Promise<void>): Promise<void> {
    const done = this.#logged(name, work);
    this.#running = Promise.all([this.#running, done]);
    await done;
  }

  async #logged(name: string, work: () => Promise<void>): Promise<void> {
    await work().catch(error => {
      // The adapter already logs that the runtime is unavailable.
      if (error instanceof RuntimeUnavailable) return;
      this.log.error({ err: error, scan: name }, 'A scan of the runtime failed; it will be retried');
    });
  }
}
