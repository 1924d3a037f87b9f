import { Injectable } from '@nestjs/common';
import { deliveriesConsumer, serviceTrackingEnded } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { DeletedOwners, inSteps } from '@postern/event-sourcing/postgres';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { Database, Every, type TaskRun } from '@postern/service-host';
import { WebhookRepository } from '../webhooks/webhook-repository.js';
import {
  DELETE_DELIVERIES,
  DELETE_LISTENERS_OF_SERVICE,
  DELETE_ROWS_OF_WEBHOOKS,
  FIND_WEBHOOKS,
} from './deleted-services.sql.js';

const WEBHOOK_STREAM = /^webhook-([0-9a-f-]{36})$/;

/** Removes the webhooks and listeners of deleted email services at once, and deletes their deliveries and events afterwards. */
@Injectable()
export class DeletedServiceData {
  readonly #owners: DeletedOwners;

  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookRepository,
  ) {
    this.#owners = new DeletedOwners(database.pool, {
      field: 'service_id',
      kept: ['webhook-dispatch.webhook-removed.v1'],
      // Again, because a webhook may have been created while its service was being deleted.
      prepare: serviceId => this.#removeWebhooks(serviceId),
      deleteRowsOf: streamIds => this.#deleteRowsOf(streamIds),
    });
  }

  @HandlesEvents([serviceTrackingEnded], deliveriesConsumer)
  async on(events: EventBatch<typeof serviceTrackingEnded>): Promise<void> {
    for (const { data } of events) {
      await DeletedOwners.record(this.database.pool, data.service_id);
      await this.#removeWebhooks(data.service_id);
    }
  }

  @Every(5_000, 'delete the data of deleted email services')
  run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    return this.#owners.run(signal);
  }

  async #removeWebhooks(service_id: string): Promise<void> {
    await this.database.pool.query(DELETE_LISTENERS_OF_SERVICE, [service_id]);
    const { rows } = await this.database.pool.query<{ id: string }>(FIND_WEBHOOKS, [service_id]);
    for (const { id: webhook_id } of rows) {
      await this.webhooks.remove({ service_id, webhook_id }).catch(ignoreRemoved);
    }
  }

  async #deleteRowsOf(streamIds: readonly string[]): Promise<void> {
    const webhookIds = streamIds.flatMap(streamId => WEBHOOK_STREAM.exec(streamId)?.[1] ?? []);
    await inSteps(this.database.pool, DELETE_DELIVERIES, [webhookIds]);
    await this.database.pool.query(DELETE_ROWS_OF_WEBHOOKS, [webhookIds]);
  }
}

/** Another replica, or the owner, has removed it in the meantime. */
const ignoreRemoved = (error: unknown): void => {
  if (!(error instanceof Refusal && error.code === 'webhook_not_found')) throw error;
};
