import { Module } from '@nestjs/common';
import { OutboundModule } from '../infrastructure/outbound.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { CreateWebhook } from './create-webhook.js';
import { GuardedWebhookUrls } from './guarded-webhook-urls.js';
import { WebhookRepository, WebhookUrls } from './ports.js';
import { PostgresWebhookRepository } from './postgres-webhook-repository.js';
import { RemoveWebhook } from './remove-webhook.js';
import { RotateWebhookSecret } from './rotate-webhook-secret.js';
import { SwitchWebhookSecret } from './switch-webhook-secret.js';
import { UpdateWebhook } from './update-webhook.js';
import { Webhooks } from './webhooks.projection.js';

/** Webhooks of email services and their signing secrets. */
@Module({
  imports: [prisma, OutboundModule],
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
