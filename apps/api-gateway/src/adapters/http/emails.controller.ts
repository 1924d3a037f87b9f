import { hash } from 'node:crypto';
import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { getEmail, type ReplyOf, type RequestInput, sendEmail, sendEmailBody } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { sendUntilKnown } from '../../commands/send-email.js';
import type { GatewayConfig } from '../../config.js';
import { Services } from '../../ports.js';
import { apiKeyHashOf, refuseStrangers } from './api-key.js';
import { badRequest } from './errors/problem.js';
import { rateLimitHeaders } from './errors/refusal-status.js';
import { id } from './input/parameters.js';
import { ReceivedBody, readJson } from './input/received-body.js';
import { assertShape } from './input/shape-pipe.js';
import { Answers } from './openapi/describe.js';
import { askerOf } from './server/asker.js';

const API_KEY = { 'Api-Key': { required: true, description: 'The API key of an email service.' } };
const STRANGERS = { 401: 'The Api-Key is missing or invalid.', 403: 'The email service is disabled.' };

const UNAVAILABLE =
  'With the header `Email-Id`: the outcome of that message is unknown, it may have been sent; ask `GET /emails/{id}`, or ' +
  'send the same request again, which answers with its record and sends nothing twice. Without `Email-Id`: nothing ' +
  'was or will be sent.';
const RETRIES =
  'Retry every 5xx and 429 with the same body. A retry within ten minutes of a 503 with `Email-Id` gets the record of ' +
  'that message, with `Idempotent-Replayed: true`. No step of a request begins after the 30 seconds it has.';

/** When the client is answered at the latest. A body that came slowly leaves at least a third of the time. */
const answerBy = ({ elapsedTime }: FastifyReply, withinMs: number): Date =>
  new Date(Date.now() + Math.max(withinMs - elapsedTime, withinMs / 3));

/**
 * The email API. A well-formed request costs one question: email-send authenticates and answers in one. Only what is
 * about to be refused for its form is authenticated first, so that a stranger learns nothing but 401.
 */
@Controller('emails')
export class EmailsController {
  constructor(
    private readonly services: Services,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Post()
  @HttpCode(200)
  @Answers(sendEmail, 'Send one message', {
    body: sendEmailBody,
    reply: sendEmail.reply.shape.email,
    requestHeaders: {
      ...API_KEY,
      'Idempotency-Key': {
        required: false,
        description: 'Makes a retry safe; 1 to 255 characters, kept for 24 hours.',
      },
    },
    description: RETRIES,
    responseHeaders: {
      'RateLimit-Limit': 'Messages of the limit that is nearest to its end.',
      'RateLimit-Remaining': 'Messages left of it.',
      'RateLimit-Reset': 'Seconds until it starts anew.',
      'Idempotent-Replayed': '`true` where this is the answer to an earlier request again; nothing was sent twice.',
    },
    also: {
      ...STRANGERS,
      503: UNAVAILABLE,
      413: 'The body is larger than 10 MiB.',
      415: 'The body is not application/json.',
    },
  })
  async send(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const asked = await this.orAsStranger(request, () => sendRequestOf(request));
    const named = {
      ...asked,
      email_id: uuidv7(),
      answer_by: answerBy(reply, this.config.answerWithinMs).toISOString(),
    };
    const answer: ReplyOf<typeof sendEmail> = await sendUntilKnown(this.services, named, askerOf(request));
    reply.headers(rateLimitHeaders(answer.rate_limit));
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    return answer.email;
  }

  @Get(':id')
  @Answers(getEmail, 'The stored record of a message', { requestHeaders: API_KEY, also: STRANGERS })
  async get(@Req() request: FastifyRequest) {
    const asked = await this.orAsStranger(request, () => getRequestOf(request));
    return this.services.ask(getEmail, asked, askerOf(request));
  }

  private async orAsStranger<Asked>(request: FastifyRequest, read: () => Asked): Promise<Asked> {
    try {
      return read();
    } catch (complaint) {
      await refuseStrangers(this.services, request);
      throw complaint;
    }
  }
}

const sendRequestOf = (request: FastifyRequest): RequestInput<typeof sendEmail> => {
  const api_key_hash = apiKeyHashOf(request);
  const idempotency_key = idempotencyKeyOf(request);
  const email = assertShape(sendEmailBody, readJson(request.body));
  const bytes = request.body instanceof ReceivedBody ? request.body.bytes : '';
  return {
    api_key_hash,
    body_hash: hash('sha256', bytes, 'hex'),
    email,
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
  };
};

const getRequestOf = (request: FastifyRequest): RequestInput<typeof getEmail> => {
  const api_key_hash = apiKeyHashOf(request);
  const { id: email_id } = request.params as { id: string };
  if (!id.safeParse(email_id).success) throw badRequest('id must be a UUID.');
  return { api_key_hash, email_id };
};

const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
    throw badRequest('Idempotency-Key must have 1 to 255 characters.');
  }
  return key;
};
