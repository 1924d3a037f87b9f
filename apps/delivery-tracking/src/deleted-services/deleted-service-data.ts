import { Injectable } from '@nestjs/common';
import { emailServiceDeleted, emailsConsumer } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { DeletedOwners } from '@postern/event-sourcing/postgres';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { Database, Every, type TaskRun } from '@postern/service-host';
import {
  type DeletedServiceEvent,
  deletedService,
  deletedServiceStream,
  SERVICE_DATA_DELETED,
  SERVICE_TRACKING_ENDED,
} from './deleted-service.js';
import { DELETE_ROWS_OF_EMAILS, DELETE_ROWS_OF_SERVICE } from './deleted-services.sql.js';

const EMAIL_STREAM = /^tracked-email-([0-9a-f-]{36})$/;

/** Deletes the data about messages and suppressions of deleted email services. */
@Injectable()
export class DeletedServiceData {
  readonly #owners: DeletedOwners;

  constructor(
    private readonly database: Database,
    private readonly streams: Streams,
  ) {
    this.#owners = new DeletedOwners(database.pool, {
      field: 'service_id',
      kept: [SERVICE_TRACKING_ENDED, SERVICE_DATA_DELETED],
      deleteRowsOf: streamIds => {
        const emailIds = streamIds.flatMap(streamId => EMAIL_STREAM.exec(streamId)?.[1] ?? []);
        return database.pool.query(DELETE_ROWS_OF_EMAILS, [emailIds]);
      },
      finish: async serviceId => {
        await database.pool.query(DELETE_ROWS_OF_SERVICE, [serviceId]);
        await this.#append(serviceId, [SERVICE_TRACKING_ENDED, SERVICE_DATA_DELETED]);
      },
    });
  }

  @HandlesEvents([emailServiceDeleted], emailsConsumer)
  async on(events: EventBatch<typeof emailServiceDeleted>): Promise<void> {
    for (const { data } of events) {
      await DeletedOwners.record(this.database.pool, data.service_id);
      await this.#append(data.service_id, [SERVICE_TRACKING_ENDED]);
    }
  }

  @Every(5_000, 'delete the data of deleted email services')
  run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    return this.#owners.run(signal);
  }

  #append(serviceId: string, types: DeletedServiceEvent['type'][]): Promise<unknown> {
    return this.streams.execute(deletedService, deletedServiceStream(serviceId), { serviceId, types, at: new Date() });
  }
}
