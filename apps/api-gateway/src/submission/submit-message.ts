import { hash } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { authenticateApiKey, Refusal, SUBMISSION_KEY, submitEmail } from '@postern/contracts';
import { CONFIG, clientNetworkOf } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import type { GatewayConfig } from '../config.js';
import { API_KEY_FORMAT } from '../infrastructure/http/access/api-key.js';
import { ClientBudgets } from '../infrastructure/http/admission/client-budgets.js';
import { refusalOfApiKey } from '../infrastructure/http/audit/audit-entry.js';
import { AuditRecorder } from '../infrastructure/http/audit/audit-recorder.js';
import { RefusedKeys } from '../infrastructure/http/audit/refused-keys.js';
import { answerWithin, sendUntilKnown } from '../infrastructure/nats/send-until-known.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { idempotencyKeyIn, messageIdIn } from './message-id.js';
import { replyToEmail, type SmtpReply } from './smtp-replies.js';

interface Submission {
  readonly keyHash: string;
  readonly recipients: readonly string[];
  readonly chunks: readonly Buffer[];
  /** When the first byte of the message arrived, in milliseconds. */
  readonly arrivedAt: number;
}

const NOT_A_KEY = 'the API key is not valid. The password is the key of an email service, which begins with em_live_.';

/** Authenticates clients of SMTP submission and forwards their messages to email-send. */
@Injectable()
export class SubmitMessage implements OnModuleDestroy {
  readonly #budgets: ClientBudgets;
  readonly #refusedKeys: RefusedKeys;

  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    recorder: AuditRecorder,
  ) {
    this.#budgets = new ClientBudgets(config.clientRequestsPerSecond);
    this.#refusedKeys = new RefusedKeys((entry, context) => recorder.complete(entry, context));
  }

  /** Stores the counted refused keys. */
  onModuleDestroy(): Promise<void> {
    return this.#refusedKeys.flush();
  }

  /** Rejects unless the password is a valid key; a wrong one spends the client's budget, as in HTTP. */
  async authenticate(key: string, address: string): Promise<void> {
    const client = clientNetworkOf(address);
    this.#budgets.spend('client', client);
    const context = { correlationId: uuidv7() };
    try {
      if (!API_KEY_FORMAT.test(key)) throw new Refusal('api_key_invalid', NOT_A_KEY);
      await this.services.request(authenticateApiKey, { api_key_hash: hash('sha256', key, 'hex') }, context);
    } catch (error) {
      if (Refusal.is(error) && error.code === 'api_key_invalid') {
        this.#refusedKeys.add(refusalOfApiKey(address, context.correlationId), context);
      } else this.#budgets.refund('client', client);
      throw error;
    }
    this.#budgets.refund('client', client);
  }

  /** Sends a message; the same key of the client, or the same Message-ID with the same content, is sent once in 24 hours. */
  async submit({ keyHash, recipients, chunks, arrivedAt }: Submission): Promise<SmtpReply> {
    const content = Buffer.concat(chunks);
    const { answerWithinMs } = this.config;
    const idempotencyKey = keyOf(recipients, content);
    const request = {
      api_key_hash: keyHash,
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      email_id: uuidv7(),
      answer_within_ms: answerWithin(Date.now() - arrivedAt, answerWithinMs),
      recipients: [...recipients],
      content: content.toString('base64'),
    };
    const context = { correlationId: request.email_id };
    return replyToEmail(await sendUntilKnown(this.services, submitEmail, request, context));
  }
}

/** The key of the client, otherwise one of the message if it has a Message-ID. */
const keyOf = (recipients: readonly string[], content: Buffer): string | undefined => {
  const key = idempotencyKeyIn(content);
  if (key !== undefined) return `${SUBMISSION_KEY}${hash('sha256', key, 'hex')}`;
  if (messageIdIn(content) === undefined) return undefined;
  const identity = `${[...recipients].sort().join('\n')}\n\n${hash('sha256', content, 'hex')}`;
  return `smtp:${hash('sha256', identity, 'hex')}`;
};
