import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { uploadsInUse } from '../services/aggregate/state.js';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { SourceUploads } from './source-uploads.js';
import { StoredUploads } from './stored-uploads.js';

/** Deletes uploads that were not deployed within an hour, or can no longer be deployed again. */
@Injectable()
export class DeleteOldUploads {
  constructor(
    private readonly stored: StoredUploads,
    private readonly uploads: SourceUploads,
    private readonly webServices: WebServiceRepository,
  ) {}

  @Every(10 * 60_000, 'delete old uploads', { onOneReplica: true })
  async run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    const ofServices = Map.groupBy(await this.stored.old(), ({ webServiceId }) => webServiceId);
    for (const [webServiceId, uploads] of ofServices) {
      if (signal.aborted) return;
      const inUse = uploadsInUse(await this.webServices.stateOf(webServiceId));
      await this.uploads.delete(uploads.map(({ id }) => id).filter(id => !inUse.has(id)));
    }
  }
}
