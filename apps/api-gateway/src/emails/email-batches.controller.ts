import { hash } from 'node:crypto';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  authenticateApiKey,
  EMAIL_BATCH_EXAMPLES,
  type EmailBatchEntry,
  emailBatch,
  emailBatchDocumentation,
  emailBatchReply,
  MAX_EMAIL_REQUEST_BYTES,
  type ReplyOf,
  sendEmail,
  sendEmailBody,
} from '@postern/contracts';
import { CONFIG, HOST, type Host } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import type { GatewayConfig } from '../config.js';
import { apiKeyHashOf } from '../infrastructure/http/access/api-key.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { rateLimitHeaders } from '../infrastructure/http/errors/refusal-status.js';
import { internalError, messageOf, sendingProblem } from '../infrastructure/http/errors/sending-problem.js';
import { idempotencyKeyOf } from '../infrastructure/http/idempotency/request-key.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { REPEATABLE_HEADERS } from '../infrastructure/http/openapi/repeatable.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { readJson } from '../infrastructure/http/validation/received-body.js';
import { assertShape } from '../infrastructure/http/validation/shape-pipe.js';
import { answerWithin, sendUntilKnown } from '../infrastructure/nats/send-until-known.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { assertEmailSize } from './email-size.js';
import { API_KEY, CODES, UNAUTHENTICATED } from './emails.controller.js';

type Answer = ReplyOf<typeof sendEmail>;

/** Messages of one batch that are sent at the same time. */
const AT_ONCE = 20;

/** What the messages of one batch share. */
interface Batch {
  readonly api_key_hash: string;
  /** When all messages have to be answered, as `performance.now()` shows it. */
  readonly until: number;
  readonly key: string | undefined;
}

/** Batches of single messages: each is sent as by POST /emails, with an outcome of its own. */
@Controller('emails')
export class EmailBatchesController {
  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(HOST) private readonly host: Host,
  ) {}

  @Post('batch')
  @HttpCode(200)
  @Admits({ access: 'api-key', maxBodyBytes: MAX_EMAIL_REQUEST_BYTES, budget: 'caller' })
  @Describes({
    requests: [authenticateApiKey, sendEmail],
    operation: 'Emails.sendBatch',
    operationId: 'sendEmailBatch',
    summary: 'Send up to 100 emails',
    body: emailBatchDocumentation,
    reply: emailBatchReply,
    requestHeaders: { ...API_KEY, ...REPEATABLE_HEADERS },
    description:
      'Each message is sent as by `POST /emails`, and has its own outcome: one bad message does not refuse the others. ' +
      '`Idempotency-Key` covers every message by its place in the list: repeat the same list with the same key to retry ' +
      'messages with status 429 or 5xx, and nothing is sent twice.',
    also: { ...UNAUTHENTICATED, 415: 'The body is not application/json.' },
    codes: CODES,
    examples: EMAIL_BATCH_EXAMPLES,
  })
  async send(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const api_key_hash = apiKeyHashOf(request);
    const until = performance.now() + answerWithin(reply.elapsedTime, this.config.answerWithinMs);
    await this.services.request(authenticateApiKey, { api_key_hash }, requestContextOf(request));
    const batch = { api_key_hash, until, key: idempotencyKeyOf(request) };
    const emails = assertShape(emailBatch, readJson(request.body));

    const limit = pLimit(AT_ONCE);
    const outcomes = await Promise.all(
      emails.map((email, place) => limit(() => this.#outcomeOf(email, place, batch, request))),
    );

    const answers = outcomes.flatMap(outcome => (outcome instanceof Problem ? [] : outcome));
    const nearest = answers.toSorted((a, b) => a.rate_limit.remaining - b.rate_limit.remaining)[0];
    reply.headers(rateLimitHeaders(nearest?.rate_limit));
    if (answers.length === outcomes.length && answers.every(({ replayed }) => replayed))
      reply.header('idempotent-replayed', 'true');
    return outcomes.map(entryOf);
  }

  async #outcomeOf(given: unknown, place: number, batch: Batch, request: FastifyRequest): Promise<Answer | Problem> {
    try {
      return await this.#send(given, place, batch, request);
    } catch (error) {
      const settings = { log: this.host.log, publicUrl: this.config.publicUrl };
      return sendingProblem(error, settings, request) ?? internalError(error, settings, request);
    }
  }

  #send(given: unknown, place: number, { key, until, api_key_hash }: Batch, request: FastifyRequest): Promise<Answer> {
    const email = assertShape(sendEmailBody, given);
    assertEmailSize(Buffer.byteLength(JSON.stringify(given)), email);
    const identified = {
      api_key_hash,
      email_id: uuidv7(),
      answer_within_ms: until - performance.now(),
      email,
      ...(key === undefined ? {} : { idempotency_key: `batch-${hash('sha256', key, 'hex')}-${place}` }),
    };
    return sendUntilKnown(this.services, sendEmail, identified, requestContextOf(request));
  }
}

const entryOf = (outcome: Answer | Problem): EmailBatchEntry =>
  outcome instanceof Problem
    ? { status: outcome.status, error: messageOf(outcome), error_code: outcome.code }
    : { status: 200, email: outcome.email };
