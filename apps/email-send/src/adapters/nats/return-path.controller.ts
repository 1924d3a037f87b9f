import { Controller } from '@nestjs/common';
import { probeReturnPath, type ReplyOf, type RequestOf } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { ProbeReturnPath } from '../../commands/probe-return-path.js';

@Controller()
export class ReturnPathController {
  constructor(private readonly probing: ProbeReturnPath) {}

  @HandlesRequest(probeReturnPath)
  probe({ probe_id }: RequestOf<typeof probeReturnPath>): Promise<ReplyOf<typeof probeReturnPath>> {
    return this.probing.execute(probe_id);
  }
}
