import { Injectable } from '@nestjs/common';
import type { RequestOf, recordClick, recordOpen } from '@postern/contracts';
import { SignalGroups } from '../tracked-emails/grouped-signals.js';
import { signalMetadata } from '../tracked-emails/signal-metadata.js';

/** Opens and clicks, as the gateway saw them. Resolves once they are durable; a repeat changes nothing. */
@Injectable()
export class RecordVisit {
  constructor(private readonly signals: SignalGroups) {}

  async opened(data: RequestOf<typeof recordOpen>): Promise<Record<string, never>> {
    await this.signals.record({ emailId: data.email_id, signal: { kind: 'opened', data }, metadata: signalMetadata() });
    return {};
  }

  async clicked(data: RequestOf<typeof recordClick>): Promise<Record<string, never>> {
    await this.signals.record({
      emailId: data.email_id,
      signal: { kind: 'clicked', data },
      metadata: signalMetadata(),
    });
    return {};
  }
}
