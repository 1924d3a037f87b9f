import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  EMAIL_EXAMPLES,
  getEmail,
  MAX_EMAIL_REQUEST_BYTES,
  type ReplyOf,
  type RequestInput,
  sendEmail,
  sendEmailBody,
  sendEmailDocumentation,
} from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import { apiKeyHashOf, assertValidApiKey } from '../infrastructure/http/access/api-key.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { badRequest } from '../infrastructure/http/errors/problem.js';
import { rateLimitHeaders } from '../infrastructure/http/errors/refusal-status.js';
import { idempotencyKeyOf } from '../infrastructure/http/idempotency/request-key.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { REPEATABLE_HEADERS } from '../infrastructure/http/openapi/repeatable.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { noteSentEmail } from '../infrastructure/http/server/sent-email.js';
import type { ReceivedBody } from '../infrastructure/http/validation/received-body.js';
import { assertShape } from '../infrastructure/http/validation/shape-pipe.js';
import { answerWithin, sendUntilKnown } from '../infrastructure/nats/send-until-known.js';
import { ServiceClient, type ServiceContext } from '../infrastructure/service-client/ports.js';
import { readSizedJson } from './email-size.js';

/** What the descriptions of the email API share. */
export const API_KEY = { 'Api-Key': { required: true, description: 'The API key of an email service.' } };
export const UNAUTHENTICATED = { 401: 'The Api-Key is missing or invalid.', 403: 'The email service is disabled.' };
export const CODES = { 401: ['api_key_missing', 'api_key_invalid'], 403: ['service_disabled'] };

const UNAVAILABLE =
  'With the header `Email-Id`: the outcome of that message is unknown, and it may have been sent. Call ' +
  '`GET /emails/{id}`, where 404 means that it was not and will not be sent, or repeat the same request, which returns ' +
  'its record, or sends it if it was not sent, and never sends twice. Without `Email-Id`: nothing was sent or will be sent.';
const RETRIES =
  'Retry every 5xx and 429 with the same body, with 5 requests in all. A retry within ten minutes of a 503 with `Email-Id` returns the record ' +
  'of that message, with `Idempotent-Replayed: true`. A request can take 30 seconds.';

/**
 * The email API. A valid request needs one request to email-send, which also authenticates. An invalid one is
 * authenticated before it is refused, so that a caller without a key gets only 401.
 */
@Controller('emails')
export class EmailsController {
  constructor(
    private readonly services: ServiceClient,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Post()
  @HttpCode(200)
  @Admits({ access: 'api-key', maxBodyBytes: MAX_EMAIL_REQUEST_BYTES, budget: 'caller' })
  @Describes({
    requests: [sendEmail],
    summary: 'Send an email',
    body: sendEmailDocumentation,
    reply: sendEmail.reply.shape.email,
    requestHeaders: {
      ...API_KEY,
      ...REPEATABLE_HEADERS,
    },
    description: RETRIES,
    responseHeaders: {
      'RateLimit-Limit': { description: 'Messages that the nearest limit allows.', type: 'integer' },
      'RateLimit-Remaining': { description: 'Messages left of this limit.', type: 'integer' },
      'RateLimit-Reset': { description: 'Seconds until the limit resets.', type: 'integer' },
      'Idempotent-Replayed': '`true` if this repeats the answer to an earlier request; nothing was sent again.',
    },
    also: {
      ...UNAUTHENTICATED,
      503: UNAVAILABLE,
      415: 'The body is not application/json.',
    },
    codes: { ...CODES, 503: ['outcome_unknown'] },
    examples: EMAIL_EXAMPLES,
  })
  async send(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { sending, received } = await this.#readOrAuthenticate(request, () => sendRequestOf(request));
    const answer_within_ms = answerWithin(reply.elapsedTime, this.config.answerWithinMs);
    const identified = { ...sending, email_id: uuidv7(), answer_within_ms };
    const answer: ReplyOf<typeof sendEmail> = await sendUntilKnown(this.services, sendEmail, identified, {
      ...requestContextOf(request),
      received,
    });
    noteSentEmail(request, answer.email.id);
    reply.headers(rateLimitHeaders(answer.rate_limit));
    if (answer.message_id !== undefined) reply.header('message-id-header', `<${answer.message_id}>`);
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    return answer.email;
  }

  @Get(':id')
  @Admits({ access: 'api-key', maxBodyBytes: 0, budget: 'caller' })
  @Describes({
    requests: [getEmail],
    summary: 'Get an email',
    codes: CODES,
    pathParameters: { id: 'Id of the message.' },
    description: 'Returns the same record as sending. Later events are not part of it; webhooks report them.',
    requestHeaders: API_KEY,
    also: UNAUTHENTICATED,
    examples: { reply: EMAIL_EXAMPLES.reply },
  })
  async get(@Req() request: FastifyRequest) {
    const query = await this.#readOrAuthenticate(request, () => getRequestOf(request));
    return this.services.request(getEmail, query, requestContextOf(request));
  }

  async #readOrAuthenticate<Read>(request: FastifyRequest, read: () => Read): Promise<Read> {
    try {
      return read();
    } catch (invalid) {
      await assertValidApiKey(this.services, request);
      throw invalid;
    }
  }
}

interface CheckedRequest {
  readonly sending: Omit<RequestInput<typeof sendEmail>, 'answer_within_ms' | 'email_id'>;
  /** Empty for a template: its variables may be numbers like 1e400, which email-send must not get as they are. */
  readonly received: NonNullable<ServiceContext['received']>;
}

const sendRequestOf = (request: FastifyRequest): CheckedRequest => {
  const api_key_hash = apiKeyHashOf(request);
  const idempotency_key = idempotencyKeyOf(request);
  const email = assertShape(
    sendEmailBody,
    readSizedJson(request, message => message),
  );
  const { bytes } = request.body as ReceivedBody;
  const sending = {
    api_key_hash,
    email,
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
  };
  return { sending, received: email.template ? {} : { email: bytes } };
};

const getRequestOf = (request: FastifyRequest): RequestInput<typeof getEmail> => {
  const api_key_hash = apiKeyHashOf(request);
  const { id: email_id } = request.params as { id: string };
  if (!z.uuid().safeParse(email_id).success) throw badRequest('id must be a UUID.');
  return { api_key_hash, email_id };
};
