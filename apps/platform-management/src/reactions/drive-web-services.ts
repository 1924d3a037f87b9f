import { Injectable } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import { Leadership, WebServiceLedger, WebServiceSettings, WebServiceStandings } from '../ports/web-services.js';
import { BuildSlots } from './build-slots.js';
import { type LaneParts, ServiceLane } from './service-lane.js';
import { ServiceWork } from './service-work.js';
import { SurveyRuntime } from './survey-runtime.js';

/**
 * Drives the runtime towards what the events say, as the one leader of all replicas. It keeps nothing that the events
 * do not hold, so that the next leader goes on where this one was killed.
 */
@Injectable()
export class DriveWebServices {
  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly standings: WebServiceStandings,
    private readonly work: ServiceWork,
    private readonly survey: SurveyRuntime,
    private readonly leadership: Leadership,
    private readonly settings: WebServiceSettings,
    private readonly log: ServiceLog,
  ) {}

  /** Leads until told to stop, unless somebody else does. Repeat it. */
  async run(stop: AbortSignal): Promise<void> {
    await this.leadership.lead('drive-web-services', stop, lost => this.#lead(lost));
  }

  async #lead(lost: AbortSignal): Promise<void> {
    const lanes = new Map<string, ServiceLane>();
    const bell = new Bell(lost);
    const unsubscribe = this.ledger.onChange(() => bell.ring());
    const parts: LaneParts = {
      ledger: this.ledger,
      work: this.work,
      settings: this.settings,
      slots: new BuildSlots(this.settings.concurrentBuilds),
      log: this.log,
      gate: () => this.survey.gate(),
      tidy: () => this.survey.tidy(),
      lost,
      wake: () => bell.ring(),
    };
    // Before anything is driven: what a killed leader left half done must be gone before it is said to be over.
    await this.survey.atStart();
    const surveying = this.survey.keepGoing(lanes, parts.slots, lost);
    try {
      while (!lost.aborted) {
        await this.#lookAround(lanes, parts);
        await bell.heard(this.settings.pollMs);
      }
    } finally {
      unsubscribe();
      await Promise.all([...lanes.values()].map(lane => lane.letGo()));
      await surveying;
    }
  }

  async #lookAround(lanes: Map<string, ServiceLane>, parts: LaneParts): Promise<void> {
    const withWork = await this.standings.withWork().catch(error => {
      if (!parts.lost.aborted)
        this.log.error({ err: error }, 'The web services with work cannot be read; trying again');
      return [];
    });
    for (const id of withWork) {
      if (!lanes.has(id)) lanes.set(id, new ServiceLane(id, parts));
    }
    const busy = new Set(withWork);
    for (const [id, lane] of lanes) {
      if (busy.has(id) || !lane.idle) {
        lane.look();
      } else {
        parts.slots.leave(id);
        lanes.delete(id);
      }
    }
  }
}

/** Wakes a loop; a ring while nobody listens is heard by the next who does. */
class Bell {
  #rung = false;
  #listener: (() => void) | undefined;

  constructor(private readonly silence: AbortSignal) {
    silence.addEventListener('abort', () => this.ring(), { once: true });
  }

  ring(): void {
    this.#rung = true;
    this.#listener?.();
  }

  async heard(atMostMs: number): Promise<void> {
    if (!this.#rung && !this.silence.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, atMostMs);
      this.#listener = resolve;
      await promise;
      clearTimeout(timer);
    }
    this.#listener = undefined;
    this.#rung = false;
  }
}
