import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, recordClick, recordOpen } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { RecordVisit } from './record-open.js';

/** Opened pixels and followed links, told by the gateway. */
@Controller()
export class VisitsController {
  constructor(private readonly visits: RecordVisit) {}

  @HandlesRequest(recordOpen)
  opened(request: RequestOf<typeof recordOpen>): Promise<ReplyOf<typeof recordOpen>> {
    return this.visits.opened(request);
  }

  @HandlesRequest(recordClick)
  clicked(request: RequestOf<typeof recordClick>): Promise<ReplyOf<typeof recordClick>> {
    return this.visits.clicked(request);
  }
}
