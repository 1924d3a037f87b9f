import { Controller } from '@nestjs/common';
import { getLogs, type ReplyOf, type RequestOf } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { GetLogs } from './get-logs.js';

/** Lines of web services and their builds. */
@Controller()
export class LogsController {
  constructor(private readonly logs: GetLogs) {}

  @HandlesRequest(getLogs)
  get(request: RequestOf<typeof getLogs>): Promise<ReplyOf<typeof getLogs>> {
    return this.logs.execute(request);
  }
}
