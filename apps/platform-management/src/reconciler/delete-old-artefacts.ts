import { Injectable } from '@nestjs/common';
import { Runtime } from '../ports/runtime.js';
import { artefactsInUse } from '../web-services/aggregate/state.js';
import { WebServiceLedger, WebServiceSettings, WebServiceStandings } from '../web-services/ports.js';

/**
 * Deletes what nothing can ask for any more, by the events themselves, for a read model may be a moment behind. To be
 * run while nothing is built: what a build has just made is known to the events a moment later only.
 */
@Injectable()
export class RetainArtefacts {
  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly standings: WebServiceStandings,
    private readonly runtime: Runtime,
    private readonly settings: WebServiceSettings,
  ) {}

  async run(): Promise<void> {
    const keep = new Set<string>();
    for (const id of await this.standings.all()) {
      const state = await this.ledger.stateOf(id);
      for (const reference of artefactsInUse(state, this.settings.retainedReleases)) keep.add(reference);
    }
    await this.runtime.retainArtefacts(keep);
  }
}
