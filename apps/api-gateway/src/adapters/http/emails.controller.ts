import { hash } from 'node:crypto';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { getEmail, type ReplyOf, type RequestInput, sendEmail, sendEmailBody } from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
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

/**
 * The email API. A well-formed request costs one question: email-send authenticates and answers in one. Only what is
 * about to be refused for its form is authenticated first, so that a stranger learns nothing but 401.
 */
@Controller('emails')
export class EmailsController {
  constructor(private readonly services: Services) {}

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
    responseHeaders: {
      'RateLimit-Limit': 'Messages of the limit that is nearest to its end.',
      'RateLimit-Remaining': 'Messages left of it.',
      'RateLimit-Reset': 'Seconds until it starts anew.',
      'Idempotent-Replayed': '`true` where this is the first answer to the same key again.',
    },
    also: { ...STRANGERS, 413: 'The body is larger than 10 MiB.', 415: 'The body is not application/json.' },
  })
  async send(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const asked = await this.orAsStranger(request, () => sendRequestOf(request));
    const answer: ReplyOf<typeof sendEmail> = await this.services.ask(sendEmail, asked, askerOf(request));
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
