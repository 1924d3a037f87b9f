import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { authenticateApiKey, Refusal, submitEmail } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { GatewayConfig } from '../config.js';
import { API_KEY_FORMAT } from '../infrastructure/http/access/api-key.js';
import { ClientBudgets } from '../infrastructure/http/admission/client-budgets.js';
import { sendUntilKnown } from '../infrastructure/nats/send-until-known.js';
import { ServiceClient } from '../service-client/ports.js';
import { messageIdIn } from './message-id.js';
import { replyToEmail, SmtpReply } from './smtp-replies.js';

interface Submission {
  readonly keyHash: string;
  readonly recipients: readonly string[];
  readonly chunks: readonly Buffer[];
  /** When the message began to arrive, in milliseconds. */
  readonly arrivedAt: number;
}

/** Authenticates clients of SMTP submission and passes their messages on to email-send. */
@Injectable()
export class SubmitMessage {
  private readonly budgets: ClientBudgets;

  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {
    this.budgets = new ClientBudgets(config.clientRequestsPerSecond);
  }

  /** Rejects unless the password is a valid key; a wrong one spends the budget of the client, as over HTTP. */
  async authenticate(key: string, client: string): Promise<void> {
    this.budgets.spend('client', client);
    if (!API_KEY_FORMAT.test(key)) throw new SmtpReply(535, '5.7.8', 'The API key is not valid.');
    try {
      const context = { correlationId: uuidv7() };
      await this.services.request(authenticateApiKey, { api_key_hash: hash('sha256', key, 'hex') }, context);
    } catch (error) {
      if (!Refusal.is(error) || error.code !== 'api_key_invalid') this.budgets.refund('client', client);
      throw error;
    }
    this.budgets.refund('client', client);
  }

  /** Sends a message; the same Message-ID with the same content is sent once in 24 hours. */
  async submit({ keyHash, recipients, chunks, arrivedAt }: Submission): Promise<SmtpReply> {
    const content = Buffer.concat(chunks);
    const { answerWithinMs } = this.config;
    const answerBy = new Date(Math.max(arrivedAt + answerWithinMs, Date.now() + answerWithinMs / 3));
    const messageId = messageIdIn(content);
    const identity = hash('sha256', `${[...recipients].sort().join('\n')}\n\n${hash('sha256', content, 'hex')}`, 'hex');
    const request = {
      api_key_hash: keyHash,
      ...(messageId === undefined ? {} : { idempotency_key: `smtp:${identity}` }),
      email_id: uuidv7(),
      answer_by: answerBy.toISOString(),
      recipients: [...recipients],
      content: content.toString('base64'),
    };
    const context = { correlationId: request.email_id };
    return replyToEmail(await sendUntilKnown(this.services, submitEmail, request, context));
  }
}
