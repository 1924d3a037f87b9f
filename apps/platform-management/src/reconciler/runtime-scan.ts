import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import { WebServiceSettings } from '../web-services/ports.js';
import type { BuildSlots } from './build-slots.js';
import { LookAfterServices } from './check-availability.js';
import { RetainArtefacts } from './delete-old-artefacts.js';
import { ReconcileRuntime } from './reconcile-runtime.js';
import type { ServiceLane } from './web-service-worker.js';

/** What looks at all of the runtime at once, and lets no build, roll or stop begin meanwhile. */
@Injectable()
export class SurveyRuntime {
  #open: Promise<unknown> = Promise.resolve();
  #tidiedAt = 0;

  constructor(
    private readonly reconcile: ReconcileRuntime,
    private readonly lookAfter: LookAfterServices,
    private readonly retain: RetainArtefacts,
    private readonly settings: WebServiceSettings,
    private readonly log: ServiceLog,
  ) {}

  /** Resolves when no survey is under way. */
  async gate(): Promise<void> {
    await this.#open;
  }

  /** A runtime that cannot be reconciled must not keep deadlines from passing: driving begins all the same. */
  async atStart(): Promise<void> {
    await this.#alone('reconcile the runtime', async () => {
      const resumed = await this.reconcile.resumed();
      await this.reconcile.run(() => resumed);
    });
  }

  async keepGoing(lanes: ReadonlyMap<string, ServiceLane>, slots: BuildSlots, stop: AbortSignal): Promise<void> {
    const changing = () => new Set([...lanes.values()].flatMap(changeOf));
    while (await waited(this.settings.reconcileMs, stop)) {
      await this.#alone('reconcile the runtime', () => this.reconcile.run(changing));
      await this.#logged('look after web services', () => this.lookAfter.run(changing));
      if (slots.taken === 0) await this.tidy();
    }
    this.lookAfter.end();
  }

  /** Deletes artefacts, if it is time to. To be called while no build has begun; none begins meanwhile. */
  async tidy(): Promise<void> {
    if (Date.now() - this.#tidiedAt < this.settings.retainMs) return;
    this.#tidiedAt = Date.now();
    await this.#alone('delete artefacts', () => this.retain.run());
  }

  async #alone(what: string, work: () => Promise<void>): Promise<void> {
    const done = this.#logged(what, work);
    this.#open = Promise.all([this.#open, done]);
    await done;
  }

  async #logged(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch(error => this.log.error({ err: error, what }, 'Surveying the runtime failed; trying again'));
  }
}

/** The service and the roll of a lane with a change under way. */
const changeOf = (lane: ServiceLane): string[] =>
  lane.changing ? [lane.webServiceId, ...(lane.rollId === undefined ? [] : [lane.rollId])] : [];

const waited = (ms: number, stop: AbortSignal): Promise<boolean> =>
  pause(ms, true, { signal: stop }).catch(() => false);
