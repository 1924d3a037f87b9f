import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  authenticateApiKey,
  createWebhookListener,
  deletion,
  readWebhookListener,
  removeWebhookListener,
  WEBHOOK_LISTENER_EXAMPLES,
} from '@postern/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { REPEATABLE_HEADERS } from '../infrastructure/http/openapi/repeatable.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { authenticated, commandOfKey } from './commands-of-keys.js';
import { API_KEY, CODES, UNAUTHENTICATED } from './emails.controller.js';

const path = z.object({ id: z.uuid().describe('Id of the listener.') });
type Path = z.output<typeof path>;
const { after, wait_s } = readWebhookListener.request.shape;
const query = z.object({ after, wait_s });

const DESCRIBED = { also: UNAUTHENTICATED, codes: CODES, requestHeaders: API_KEY };
const REPEATABLE = { ...DESCRIBED, repeatable: true, requestHeaders: { ...API_KEY, ...REPEATABLE_HEADERS } };

/** Events of the email service of a key, for a program that no webhook can reach. */
@Controller('webhook-listeners')
export class WebhookListenersController {
  constructor(private readonly services: ServiceClient) {}

  @Post()
  @HttpCode(201)
  @Admits({ access: 'api-key', maxBodyBytes: 1_024, budget: 'caller' })
  @Describes({
    ...REPEATABLE,
    requests: [authenticateApiKey, createWebhookListener],
    summary: 'Create a listener, which keeps the events of the email service until they are read',
    description:
      'For programs that no webhook can reach, such as on the machine of a developer. A listener expires five minutes after its last read.',
    examples: { reply: WEBHOOK_LISTENER_EXAMPLES.created },
  })
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return commandOfKey(this.services, request, reply, createWebhookListener, ({ service_id }) => ({ service_id }));
  }

  @Get(':id/events')
  @Admits({ access: 'api-key', maxBodyBytes: 0, budget: 'caller', isPolled: true })
  @Describes({
    ...DESCRIBED,
    requests: [authenticateApiKey, readWebhookListener],
    summary: 'Read the next events of a listener, at most 100',
    description: 'The next read acknowledges the events, with the number of the last one as `after`.',
    examples: { reply: WEBHOOK_LISTENER_EXAMPLES.events },
  })
  async read(
    @Req() request: FastifyRequest,
    @Param({ schema: path }) { id }: Path,
    @Query({ schema: queryShape(query.shape) }) position: z.output<typeof query>,
  ) {
    const { service_id } = await authenticated(this.services, request);
    const sent = { service_id, ...position, listener_id: id };
    return this.services.request(readWebhookListener, sent, requestContextOf(request));
  }

  @Delete(':id')
  @Admits({ access: 'api-key', maxBodyBytes: 0, budget: 'caller' })
  @Describes({
    ...REPEATABLE,
    requests: [authenticateApiKey, removeWebhookListener],
    summary: 'Delete a listener with its events',
    description: 'Unread events are lost; webhooks receive theirs as before.',
    reply: deletion,
    examples: { reply: { id: WEBHOOK_LISTENER_EXAMPLES.created.id, deleted: true } },
  })
  async remove(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param({ schema: path }) { id }: Path,
  ) {
    await commandOfKey(this.services, request, reply, removeWebhookListener, ({ service_id }) => ({
      service_id,
      listener_id: id,
    }));
    return { id, deleted: true };
  }
}
