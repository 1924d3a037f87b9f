import { type ReplyOf, type RequestOf, recordClick } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { EmailSignals } from '../tracked-emails/email-signals.js';

/** Records a click that the gateway observed. A repeated request changes nothing. */
@Handles(recordClick)
export class RecordClick {
  constructor(private readonly signals: EmailSignals) {}

  /** Resolves once the click is durable. */
  async execute(data: RequestOf<typeof recordClick>): Promise<ReplyOf<typeof recordClick>> {
    await this.signals.record(data.email_id, { kind: 'clicked', data });
    return {};
  }
}
