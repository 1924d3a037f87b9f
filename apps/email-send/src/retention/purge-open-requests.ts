import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { OpenRequests } from './ports.js';

/** Deletes requests too old to recognise a retry, and unresolved messages too old for evidence. */
@Injectable()
export class PurgeOpenRequests {
  constructor(private readonly requests: OpenRequests) {}

  @Every(60_000, 'purge open requests')
  run({ now }: Pick<TaskRun, 'now'>): Promise<void> {
    return this.requests.purge(now);
  }
}
