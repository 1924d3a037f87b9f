import { Module } from '@nestjs/common';
import { OutboundModule } from '../infrastructure/outbound.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { CreateWebhook } from './create-webhook.js';
import { ListWebhookProblems } from './list-webhook-problems.js';
import { MailAboutWebhooks } from './mail-about-webhooks.js';
import { NameWebhooks } from './name-webhooks.js';
import { RemoveWebhook } from './remove-webhook.js';
import { RotateWebhookSecret } from './rotate-webhook-secret.js';
import { SwitchWebhookSecret } from './switch-webhook-secret.js';
import { UpdateWebhook } from './update-webhook.js';
import { WebhookHealths } from './webhook-health.js';
import { WebhookRepository } from './webhook-repository.js';
import { WebhookUrls } from './webhook-urls.js';
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
    WebhookHealths,
    MailAboutWebhooks,
    ListWebhookProblems,
    NameWebhooks,
    WebhookRepository,
    WebhookUrls,
  ],
  exports: [Webhooks, WebhookRepository],
})
export class WebhooksModule {}
