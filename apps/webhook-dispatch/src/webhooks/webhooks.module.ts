import { Module } from '@nestjs/common';
import { GuardedWebhookUrls } from '../infrastructure/http/guarded-webhook-urls.js';
import { OutboundModule } from '../infrastructure/http/outbound.module.js';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { CreateWebhook } from './create-webhook.js';
import { WebhookRepository, WebhookUrls } from './ports.js';
import { PostgresWebhookRepository } from './postgres-webhook-repository.js';
import { RemoveWebhook } from './remove-webhook.js';
import { RotateWebhookSecret } from './rotate-webhook-secret.js';
import { SwitchWebhookSecret } from './switch-webhook-secret.js';
import { UpdateWebhook } from './update-webhook.js';
import { Webhooks } from './webhooks.projection.js';

/** Webhooks of email services and their signing secrets. */
@Module({
  imports: [eventSourcing, prisma, OutboundModule],
  providers: [
    CreateWebhook,
    UpdateWebhook,
    RemoveWebhook,
    RotateWebhookSecret,
    SwitchWebhookSecret,
    Webhooks,
    { provide: WebhookRepository, useClass: PostgresWebhookRepository },
    { provide: WebhookUrls, useClass: GuardedWebhookUrls },
  ],
  exports: [Webhooks, WebhookRepository],
})
export class WebhooksModule {}
