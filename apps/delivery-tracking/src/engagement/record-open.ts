import { type ReplyOf, type RequestOf, recordOpen } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { EmailSignals } from '../tracked-emails/email-signals.js';

/** Records an open that the gateway observed. A repeated request changes nothing. */
@Handles(recordOpen)
export class RecordOpen {
  constructor(private readonly signals: EmailSignals) {}

  /** Resolves once the open is durable. */
  async execute(data: RequestOf<typeof recordOpen>): Promise<ReplyOf<typeof recordOpen>> {
    await this.signals.record(data.email_id, { kind: 'opened', data });
    return {};
  }
}
