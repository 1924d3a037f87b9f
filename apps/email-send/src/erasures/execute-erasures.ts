import { Injectable } from '@nestjs/common';
import { Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { afterFailure, afterReply, dueService, type ErasureOfService, withService } from './erasure.js';
import { ErasureRepository, type StoredErasure } from './erasure-repository.js';
import { ErasureSteps } from './ports.js';

const NO_KEY = 'cannot decrypt the stored address: add its key to POSTERN_ENCRYPTION_KEYS of email-send again';

/**
 * Runs, in one replica, the due steps of all erasures in the services and records their results. Steps can be
 * repeated, so that another process can continue at any time.
 */
@Injectable()
export class ExecuteErasures {
  constructor(
    private readonly erasures: ErasureRepository,
    private readonly steps: ErasureSteps,
    private readonly log: ServiceLog,
  ) {}

  /** Runs all due steps. */
  @Every(1_000, 'execute erasures')
  async run({ signal: stop }: Pick<TaskRun, 'signal'>): Promise<void> {
    if ((await this.erasures.running()).length === 0) return;
    await this.erasures.whileLeading(stop, async lost => {
      for (let isAnyDue = true; isAnyDue && !lost.aborted; ) {
        isAnyDue = false;
        for (const stored of await this.erasures.running()) {
          const due = dueService(stored.erasure, new Date());
          if (!due || lost.aborted) continue;
          isAnyDue = true;
          await this.#step(stored, due);
        }
      }
    });
  }

  async #step(stored: StoredErasure, due: ErasureOfService): Promise<void> {
    const { erasure, revision } = stored;
    const progress = await this.#progressOf(stored, due);
    const after = withService(erasure, progress, new Date());
    if (!(await this.erasures.save(after, revision))) return;
    const about = { erasureId: erasure.id, service: due.service };
    if (progress.state === 'failed' && progress.reason !== due.reason)
      this.log.warn({ ...about, reason: progress.reason }, 'A step of an erasure failed; it will be repeated');
    if (after.status === 'completed')
      this.log.info({ erasureId: erasure.id, passes: after.pass }, 'Erased a recipient');
  }

  async #progressOf({ erasure, address }: StoredErasure, due: ErasureOfService): Promise<ErasureOfService> {
    if (address === undefined) return afterFailure(due, NO_KEY, new Date());
    try {
      const { replacement } = erasure;
      const reply = await this.steps.run(due.service, { address, replacement, cursor: due.cursor });
      return afterReply(due, reply, new Date());
    } catch (error) {
      return afterFailure(due, error instanceof Error ? error.message : String(error), new Date());
    }
  }
}
