import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { runsOrStarts } from '../web-services/services/aggregate/state.js';
import { WebServiceRepository } from '../web-services/services/web-service-repository.js';
import { DatabaseAttachments } from './database-attachments.js';

/** The web services that a database is attached to. */
@Injectable()
export class AttachedServices {
  constructor(
    private readonly attachments: DatabaseAttachments,
    private readonly webServices: WebServiceRepository,
  ) {}

  /** Returns the attached services that are running or starting. */
  async runningOf(databaseId: string): Promise<ReadonlySet<string>> {
    const running = new Set<string>();
    for (const { webServiceId } of await this.attachments.listOf(databaseId))
      if (runsOrStarts(await this.webServices.stateOf(webServiceId))) running.add(webServiceId);
    return running;
  }

  /** Requests a restart of the attached services that are running or starting. */
  async restart(databaseId: string): Promise<void> {
    for (const { webServiceId } of await this.attachments.listOf(databaseId))
      await this.webServices.execute(webServiceId, at => ({ kind: 'renew-credentials', releaseId: uuidv7(), at }));
  }
}
