import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { artefactsInUse } from '../services/aggregate/state.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServiceSummaries } from '../services/web-service-summaries.js';
import { ReconcilerSettings } from './ports.js';

/**
 * Deletes artefacts that are no longer used. It reads events, because read models may be behind. It must run while no build runs,
 * because the event of a finished build is recorded shortly after its artefact exists.
 */
@Injectable()
export class DeleteOldArtefacts {
  constructor(
    private readonly repository: WebServiceRepository,
    private readonly summaries: WebServiceSummaries,
    private readonly runtime: Runtime,
    private readonly settings: ReconcilerSettings,
  ) {}

  async run(): Promise<void> {
    const keep = new Set<string>();
    for (const id of await this.summaries.all()) {
      const state = await this.repository.stateOf(id);
      for (const reference of artefactsInUse(state, this.settings.retainedReleases)) keep.add(reference);
    }
    await this.runtime.retainArtefacts(keep);
  }
}
