import { Inject, Injectable } from '@nestjs/common';
import { configurationsOver } from '../web-services/aggregate/obsolete-configurations.js';
import {
  ReleaseConfigurations,
  WebServiceLedger,
  WebServiceSettings,
  WebServiceStandings,
} from '../web-services/ports.js';

/**
 * Deletes the sealed configurations of releases that no event can need any more. What was over a while ago counts, for
 * who is about to open one may have read the events before.
 */
@Injectable()
export class RetainConfigurations {
  /** Length of the history by which a service was last looked at: nothing more is over until there is more of it. */
  readonly #lookedAt = new Map<string, number>();

  constructor(
    @Inject(WebServiceLedger) private readonly ledger: Pick<WebServiceLedger, 'historyOf'>,
    private readonly standings: WebServiceStandings,
    private readonly configurations: ReleaseConfigurations,
    private readonly settings: WebServiceSettings,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    const until = new Date(Date.now() - this.settings.retainMs);
    for (const [id, length] of await this.standings.historyLengths()) {
      if (stop.aborted) return;
      if (this.#lookedAt.get(id) === length) continue;
      const history = await this.ledger.historyOf(id, until);
      await this.configurations.forget(configurationsOver(history, this.settings.retainedReleases));
      this.#lookedAt.set(id, history.length);
    }
  }
}
