import { Inject, Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { ReleaseConfigurations } from '../environment/ports.js';
import { obsoleteConfigurations } from '../services/aggregate/obsolete-configurations.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { WebServiceSummaries } from '../services/web-service-summaries.js';
import { RETAIN_MS } from './configured-reconciler-settings.js';
import { ReconcilerSettings } from './ports.js';

/**
 * Deletes configurations that are no longer used. It ignores recent events, because another process that is about to decrypt a
 * configuration may have read the events before them.
 */
@Injectable()
export class DeleteOldConfigurations {
  /** Number of events at the last check: without new events, no further configurations become obsolete. */
  readonly #checkedLengths = new Map<string, number>();

  constructor(
    @Inject(WebServiceRepository) private readonly repository: Pick<WebServiceRepository, 'historyOf'>,
    private readonly summaries: WebServiceSummaries,
    private readonly configurations: ReleaseConfigurations,
    private readonly settings: ReconcilerSettings,
  ) {}

  @Every(RETAIN_MS, 'delete old configurations', { onOneReplica: true })
  async run({ now, signal }: TaskRun): Promise<void> {
    const until = new Date(now.getTime() - this.settings.retainMs);
    for (const [id, length] of await this.summaries.historyLengths()) {
      if (signal.aborted) return;
      if (this.#checkedLengths.get(id) === length) continue;
      const history = await this.repository.historyOf(id, until);
      await this.configurations.delete(obsoleteConfigurations(history, this.settings.retainedReleases));
      this.#checkedLengths.set(id, history.length);
    }
  }
}
