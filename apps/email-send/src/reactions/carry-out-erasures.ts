import { Injectable } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import { afterFailure, afterReply, dueService, type ErasureOfService, withService } from '../domain/erasure.js';
import { ErasureSteps, Erasures, type ErasureUnderWay } from '../ports.js';

const NO_KEY = 'no key opens the sealed address: put its key back into POSTERN_ENCRYPTION_KEYS of email-send';

/**
 * On a timer, in one replica: asks the services for the steps of all running erasures and records what they came to.
 * Every step may be repeated, so a process that ends at any moment leaves nothing that the next one cannot continue.
 */
@Injectable()
export class CarryOutErasures {
  constructor(
    private readonly erasures: Erasures,
    private readonly steps: ErasureSteps,
    private readonly log: ServiceLog,
  ) {}

  /** Takes all steps that are due now. */
  async run(stop: AbortSignal): Promise<void> {
    if ((await this.erasures.running()).length === 0) return;
    await this.erasures.whileLeading(stop, async lost => {
      for (let isAnyDue = true; isAnyDue && !lost.aborted; ) {
        isAnyDue = false;
        for (const underWay of await this.erasures.running()) {
          const due = dueService(underWay.erasure, new Date());
          if (!due || lost.aborted) continue;
          isAnyDue = true;
          await this.#step(underWay, due);
        }
      }
    });
  }

  async #step(underWay: ErasureUnderWay, due: ErasureOfService): Promise<void> {
    const { erasure, revision } = underWay;
    const progress = await this.#progressOf(underWay, due);
    const after = withService(erasure, progress, new Date());
    if (!(await this.erasures.save(after, revision))) return;
    const about = { erasureId: erasure.id, service: due.service };
    if (progress.state === 'failed' && progress.reason !== due.reason)
      this.log.warn({ ...about, reason: progress.reason }, 'A step of an erasure failed; it will be repeated');
    if (after.status === 'completed')
      this.log.info({ erasureId: erasure.id, passes: after.pass }, 'Erased a recipient');
  }

  async #progressOf({ erasure, address }: ErasureUnderWay, due: ErasureOfService): Promise<ErasureOfService> {
    if (address === undefined) return afterFailure(due, NO_KEY, new Date());
    try {
      const { replacement } = erasure;
      const reply = await this.steps.take(due.service, { address, replacement, cursor: due.cursor });
      return afterReply(due, reply, new Date());
    } catch (error) {
      return afterFailure(due, error instanceof Error ? error.message : String(error), new Date());
    }
  }
}
