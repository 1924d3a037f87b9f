import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, startWebService } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { WebServiceLedger } from './ports.js';

type Request = RequestOf<typeof startWebService>;
type Reply = ReplyOf<typeof startWebService>;

/**
 * Start (which deploy is as well), restart and stop: each answers with the status that the service has from now on;
 * the driver does the rest. None of them builds anything.
 */
@Injectable()
export class ChangeLifecycle {
  constructor(private readonly ledger: WebServiceLedger) {}

  start(request: Request): Promise<Reply> {
    return this.#roll('start', request);
  }

  restart(request: Request): Promise<Reply> {
    return this.#roll('restart', request);
  }

  async stop({ user_id: userId, web_service_id: id }: Request): Promise<Reply> {
    const { status } = await this.ledger.execute(id, at => ({ kind: 'stop', userId, at }));
    return { id, status };
  }

  async #roll(kind: 'start' | 'restart', { user_id: userId, web_service_id: id }: Request): Promise<Reply> {
    const releaseId = uuidv7();
    const { status } = await this.ledger.execute(id, at => ({ kind, userId, releaseId, at }));
    return { id, status };
  }
}
