import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, UseGuards } from '@nestjs/common';
import {
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  switchWebhookSecret,
  updateWebhook,
  webhookChanges,
} from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { OwnedServiceGuard } from './owned-service.guard.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const newWebhook = z.strictObject(createWebhook.request.pick({ url: true, events: true }).shape);
const ofWebhook = z.object({ service_id: id, webhook_id: id });
type OfWebhook = z.output<typeof ofWebhook>;

@Controller('dashboard/api/email-services/:service_id/webhooks')
@UseGuards(SessionGuard, OwnedServiceGuard)
export class WebhooksController {
  constructor(private readonly services: Services) {}

  @Post()
  @Answers(createWebhook, 'Register a webhook; its signing secret is shown this once')
  create(
    @SignedIn() session: Session,
    @Param('service_id', { schema: id }) service_id: string,
    @Body({ schema: newWebhook }) body: z.output<typeof newWebhook>,
  ) {
    return this.services.ask(createWebhook, { service_id, ...body }, session);
  }

  @Get()
  @Answers(listWebhooks, 'Webhooks of the email service')
  list(@SignedIn() session: Session, @Param('service_id', { schema: id }) service_id: string) {
    return this.services.ask(listWebhooks, { service_id }, session);
  }

  @Get(':webhook_id')
  @Answers(getWebhook, 'One webhook')
  get(@SignedIn() session: Session, @Param({ schema: ofWebhook }) of: OfWebhook) {
    return this.services.ask(getWebhook, of, session);
  }

  @Patch(':webhook_id')
  @Answers(updateWebhook, 'Change URL, event kinds or whether it is enabled')
  update(
    @SignedIn() session: Session,
    @Param({ schema: ofWebhook }) of: OfWebhook,
    @Body({ schema: webhookChanges }) changes: z.output<typeof webhookChanges>,
  ) {
    return this.services.ask(updateWebhook, { ...of, changes }, session);
  }

  @Delete(':webhook_id')
  @Answers(removeWebhook, 'Remove a webhook')
  remove(@SignedIn() session: Session, @Param({ schema: ofWebhook }) of: OfWebhook) {
    return this.services.ask(removeWebhook, of, session);
  }

  @Post(':webhook_id/secret/rotate')
  @HttpCode(200)
  @Answers(rotateWebhookSecret, 'Make the next signing secret, shown this once; the present one goes on signing')
  rotateSecret(@SignedIn() session: Session, @Param({ schema: ofWebhook }) of: OfWebhook) {
    return this.services.ask(rotateWebhookSecret, of, session);
  }

  @Post(':webhook_id/secret/switch')
  @HttpCode(200)
  @Answers(switchWebhookSecret, 'Sign with the next secret from now on')
  switchSecret(@SignedIn() session: Session, @Param({ schema: ofWebhook }) of: OfWebhook) {
    return this.services.ask(switchWebhookSecret, of, session);
  }
}
