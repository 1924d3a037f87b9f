import { Injectable } from '@nestjs/common';
import type { getLogs, ReplyOf, RequestOf } from '@postern/contracts';
import { Runtime } from '../ports/runtime.js';
import { noSuchService } from './aggregate/refusals.js';
import { WebServiceLedger } from './ports.js';

/** A service's lines as its runtime keeps them; they outlive its instances. */
@Injectable()
export class GetLogs {
  constructor(
    private readonly ledger: WebServiceLedger,
    private readonly runtime: Runtime,
  ) {}

  async execute(request: RequestOf<typeof getLogs>): Promise<ReplyOf<typeof getLogs>> {
    const { userId } = await this.ledger.stateOf(request.web_service_id);
    if (userId !== request.user_id) throw noSuchService();
    const lines = await this.runtime.logs(request.web_service_id, { tail: request.tail, since: request.since });
    return { lines: lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line })) };
  }
}
