import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import {
  authenticateApiKey,
  cancelScheduledEmail,
  getScheduledEmail,
  listScheduledEmails,
  listScheduledEmailsQuery,
  MAX_EMAIL_REQUEST_BYTES,
  rescheduleEmail,
  rescheduleEmailBody,
  SCHEDULED_EMAIL_EXAMPLES,
  scheduleEmail,
  scheduleEmailBody,
  scheduleEmailDocumentation,
} from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { apiKeyHashOf } from '../infrastructure/http/access/api-key.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { REPEATABLE_HEADERS } from '../infrastructure/http/openapi/repeatable.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { readJson } from '../infrastructure/http/validation/received-body.js';
import { assertShape } from '../infrastructure/http/validation/shape-pipe.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { commandOfKey } from './commands-of-keys.js';
import { fieldOf, readSizedJson } from './email-size.js';
import { API_KEY, CODES, UNAUTHENTICATED } from './emails.controller.js';

const query = queryShape(listScheduledEmailsQuery.shape);
const path = z.object({ id: z.uuid().describe('Id of the scheduled message.') });
type Path = z.output<typeof path>;

const DESCRIBED = { also: UNAUTHENTICATED, codes: CODES };
const REPEATABLE = { ...DESCRIBED, repeatable: true, requestHeaders: { ...API_KEY, ...REPEATABLE_HEADERS } };

/** Messages that are sent at a later time. A caller without a valid key gets only 401 or 403. */
@Controller('scheduled-emails')
export class ScheduledEmailsController {
  constructor(private readonly services: ServiceClient) {}

  @Post()
  @HttpCode(201)
  @Admits({ access: 'api-key', maxBodyBytes: MAX_EMAIL_REQUEST_BYTES, budget: 'caller' })
  @Describes({
    ...REPEATABLE,
    requests: [authenticateApiKey, scheduleEmail],
    summary: 'Schedule an email',
    description:
      'The message is checked as by `POST /emails`, and again when it is sent. It counts against the limits when it is ' +
      'sent; if a limit is reached or the relay is unavailable then, it is tried for 4 hours. From then on it is an ' +
      'ordinary message, with `email_id`. Use an `Idempotency-Key`, so that a retry does not schedule it twice.',
    body: scheduleEmailDocumentation,
    examples: { body: SCHEDULED_EMAIL_EXAMPLES.body, reply: SCHEDULED_EMAIL_EXAMPLES.reply },
  })
  async schedule(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return commandOfKey(this.services, request, reply, scheduleEmail, ({ api_key_hash }) => {
      const body = assertShape(
        scheduleEmailBody,
        readSizedJson(request, value => fieldOf(value, 'email')),
      );
      return { ...body, scheduled_email_id: uuidv7(), api_key_hash };
    });
  }

  @Get()
  @Admits({ access: 'api-key', maxBodyBytes: 0, budget: 'caller' })
  @Describes({
    ...DESCRIBED,
    requests: [listScheduledEmails],
    summary: 'List scheduled emails, the latest times first',
    description: 'They are listed for 30 days after they were sent, failed or were cancelled.',
    requestHeaders: API_KEY,
    examples: { reply: SCHEDULED_EMAIL_EXAMPLES.list },
  })
  list(@Req() request: FastifyRequest, @Query({ schema: query }) filter: z.output<typeof listScheduledEmailsQuery>) {
    const api_key_hash = apiKeyHashOf(request);
    return this.services.request(listScheduledEmails, { ...filter, api_key_hash }, requestContextOf(request));
  }

  @Get(':id')
  @Admits({ access: 'api-key', maxBodyBytes: 0, budget: 'caller' })
  @Describes({
    ...DESCRIBED,
    requests: [getScheduledEmail],
    summary: 'Get a scheduled email',
    description: 'Once it is sent, `email_id` names the message.',
    requestHeaders: API_KEY,
    examples: { reply: SCHEDULED_EMAIL_EXAMPLES.reply },
  })
  get(@Req() request: FastifyRequest, @Param({ schema: path }) { id }: Path) {
    const query = { api_key_hash: apiKeyHashOf(request), scheduled_email_id: id };
    return this.services.request(getScheduledEmail, query, requestContextOf(request));
  }

  @Patch(':id')
  @Admits({ access: 'api-key', maxBodyBytes: 4_096, budget: 'caller' })
  @Describes({
    ...REPEATABLE,
    requests: [authenticateApiKey, rescheduleEmail],
    summary: 'Change the time of a scheduled email',
    description: 'Refused when it is being sent, or was sent or cancelled.',
    body: rescheduleEmailBody,
    examples: { body: SCHEDULED_EMAIL_EXAMPLES.changes, reply: SCHEDULED_EMAIL_EXAMPLES.reply },
  })
  reschedule(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param({ schema: path }) { id }: Path,
  ) {
    return commandOfKey(this.services, request, reply, rescheduleEmail, ({ api_key_hash }) => ({
      ...assertShape(rescheduleEmailBody, readJson(request.body)),
      scheduled_email_id: id,
      api_key_hash,
    }));
  }

  @Delete(':id')
  @Admits({ access: 'api-key', maxBodyBytes: 0, budget: 'caller' })
  @Describes({
    ...REPEATABLE,
    requests: [authenticateApiKey, cancelScheduledEmail],
    summary: 'Cancel a scheduled email',
    description: 'It will not be sent. May be repeated; refused when it is being sent or was sent.',
    examples: { reply: SCHEDULED_EMAIL_EXAMPLES.cancelled },
  })
  cancel(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param({ schema: path }) { id }: Path,
  ) {
    return commandOfKey(this.services, request, reply, cancelScheduledEmail, ({ api_key_hash }) => ({
      scheduled_email_id: id,
      api_key_hash,
    }));
  }
}
