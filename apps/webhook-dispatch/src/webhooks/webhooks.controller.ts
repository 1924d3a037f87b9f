import { Controller } from '@nestjs/common';
import {
  createWebhook,
  getWebhook,
  listWebhooks,
  type ReplyOf,
  type RequestOf,
  removeWebhook,
  rotateWebhookSecret,
  switchWebhookSecret,
  updateWebhook,
} from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { CreateWebhook } from './create-webhook.js';
import { knownWebhook } from './known-webhook.js';
import { RemoveWebhook } from './remove-webhook.js';
import { RotateWebhookSecret } from './rotate-webhook-secret.js';
import { UpdateWebhook } from './update-webhook.js';
import { webhookReply } from '../deliveries/delivery-reply.js';
import { WebhookDirectory } from '../deliveries/ports.js';

/** Webhooks of an email service. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhookDirectory,
    private readonly creating: CreateWebhook,
    private readonly updating: UpdateWebhook,
    private readonly removing: RemoveWebhook,
    private readonly secrets: RotateWebhookSecret,
  ) {}

  @HandlesRequest(createWebhook)
  create(request: RequestOf<typeof createWebhook>): Promise<ReplyOf<typeof createWebhook>> {
    return this.creating.execute(request);
  }

  @HandlesRequest(listWebhooks)
  async list({ service_id }: RequestOf<typeof listWebhooks>): Promise<ReplyOf<typeof listWebhooks>> {
    return (await this.webhooks.ofService(service_id)).map(webhookReply);
  }

  @HandlesRequest(getWebhook)
  async get(request: RequestOf<typeof getWebhook>): Promise<ReplyOf<typeof getWebhook>> {
    return webhookReply(await knownWebhook(this.webhooks, request));
  }

  @HandlesRequest(updateWebhook)
  update(request: RequestOf<typeof updateWebhook>): Promise<ReplyOf<typeof updateWebhook>> {
    return this.updating.execute(request);
  }

  @HandlesRequest(removeWebhook)
  remove(request: RequestOf<typeof removeWebhook>): Promise<ReplyOf<typeof removeWebhook>> {
    return this.removing.execute(request);
  }

  @HandlesRequest(rotateWebhookSecret)
  rotateSecret(request: RequestOf<typeof rotateWebhookSecret>): Promise<ReplyOf<typeof rotateWebhookSecret>> {
    return this.secrets.rotate(request);
  }

  @HandlesRequest(switchWebhookSecret)
  switchSecret(request: RequestOf<typeof switchWebhookSecret>): Promise<ReplyOf<typeof switchWebhookSecret>> {
    return this.secrets.switch(request);
  }
}
