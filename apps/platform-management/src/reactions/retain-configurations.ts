import { Injectable } from '@nestjs/common';
import { configurationsOver } from '../domain/web-service/configurations.js';
import {
  ReleaseConfigurations,
  WebServiceLedger,
  WebServiceSettings,
  WebServiceStandings,
} from '../ports/web-services.js';

/**
 * Deletes the sealed configurations of releases that no event can need any more. What was over a while ago counts, for
 * who is about to open one may have read the events before.
 */
@Injectable()
export class RetainConfigurations {
  /** Length of the history by which a service was last looked at: nothing more is over while it is the same. */
  readonly #lookedAt = new Map<string, number>();

  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly standings: WebServiceStandings,
    private readonly configurations: ReleaseConfigurations,
    private readonly settings: WebServiceSettings,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    const until = new Date(Date.now() - this.settings.retainMs);
    for (const id of await this.standings.all()) {
      if (stop.aborted) return;
      const history = await this.ledger.historyOf(id, until);
      if (this.#lookedAt.get(id) === history.length) continue;
      await this.configurations.forget(configurationsOver(history, this.settings.retainedReleases));
      this.#lookedAt.set(id, history.length);
    }
  }
}
