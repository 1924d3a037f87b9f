import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceRepository } from '../web-services/ports.js';
import { DatabaseAttachments } from './ports.js';

/** The web services that a database is attached to. */
@Injectable()
export class AttachedServices {
  constructor(
    private readonly attachments: DatabaseAttachments,
    private readonly webServices: WebServiceRepository,
  ) {}

  /** Returns the attached services that are running. */
  async runningOf(databaseId: string): Promise<ReadonlySet<string>> {
    const running = new Set<string>();
    for (const { webServiceId } of await this.attachments.listOf(databaseId)) {
      const { serving, stopping, deleting } = await this.webServices.stateOf(webServiceId);
      if (serving && !stopping && !deleting) running.add(webServiceId);
    }
    return running;
  }

  /** Requests a restart of the attached services that are running; skips services whose restart is refused. */
  async restart(databaseId: string): Promise<void> {
    for (const id of await this.runningOf(databaseId)) {
      const { userId } = await this.webServices.stateOf(id);
      if (userId === undefined) continue;
      await this.webServices
        .execute(id, at => ({ kind: 'restart', userId, releaseId: uuidv7(), at }))
        .catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error;
        });
    }
  }
}
