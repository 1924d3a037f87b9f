import { Injectable } from '@nestjs/common';
import { Leadership, WebServiceStandings } from '../web-services/ports.js';
import { BuildSlots } from './build-slots.js';
import { LaneSupplies } from './lane-supplies.js';
import { SurveyRuntime } from './runtime-scan.js';
import { type LaneParts, ServiceLane } from './web-service-worker.js';

/**
 * Drives the runtime towards what the events say, as the one leader of all replicas. It keeps nothing that the events
 * do not hold, so that the next leader goes on where this one was killed.
 */
@Injectable()
export class DriveWebServices {
  constructor(
    private readonly supplies: LaneSupplies,
    private readonly standings: WebServiceStandings,
    private readonly survey: SurveyRuntime,
    private readonly leadership: Leadership,
  ) {}

  /** Leads until told to stop, unless somebody else does. Repeat it. */
  async run(stop: AbortSignal): Promise<void> {
    await this.leadership.lead('drive-web-services', stop, lost => this.#lead(lost));
  }

  async #lead(lost: AbortSignal): Promise<void> {
    const lanes = new Map<string, ServiceLane>();
    const bell = new Bell(lost);
    const { ledger, settings } = this.supplies;
    const unsubscribe = ledger.onChange(() => bell.ring());
    const parts: LaneParts = {
      ...this.supplies,
      slots: new BuildSlots(settings.concurrentBuilds),
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
        await bell.heard(settings.pollMs);
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
        parts.log.error({ err: error }, 'The web services with work cannot be read; trying again');
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
