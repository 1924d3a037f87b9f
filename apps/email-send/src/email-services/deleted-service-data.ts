import { Injectable } from '@nestjs/common';
import { emailServiceDeleted } from '@postern/contracts';
import { DeletedOwners } from '@postern/event-sourcing/postgres';
import { Database, Every, type TaskRun } from '@postern/service-host';
import { DELETE_MESSAGES } from '../infrastructure/postgres/messages.sql.js';
import { DELETE_DOMAINS, DELETE_KEY_USES, DELETE_ROWS_OF_SERVICE } from './deleted-services.sql.js';

const UUID = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const IDS_OF = {
  messages: new RegExp(`^email-${UUID}$`),
  domains: new RegExp(`^sending-domain-${UUID}$`),
  keys: new RegExp(`^api-key-${UUID}$`),
};

/** Deletes the events, messages, bodies and private keys of deleted email services. */
@Injectable()
export class DeletedServiceData {
  readonly #owners: DeletedOwners;

  constructor(private readonly database: Database) {
    this.#owners = new DeletedOwners(database.pool, {
      field: 'service_id',
      kept: [emailServiceDeleted.type],
      deleteRowsOf: streamIds => this.#deleteRowsOf(streamIds),
      finish: serviceId => this.database.pool.query(DELETE_ROWS_OF_SERVICE, [serviceId]),
    });
  }

  @Every(5_000, 'delete the data of deleted email services')
  run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    return this.#owners.run(signal);
  }

  async #deleteRowsOf(streamIds: readonly string[]): Promise<void> {
    const idsOf = (pattern: RegExp) => streamIds.flatMap(streamId => pattern.exec(streamId)?.[1] ?? []);
    const { pool } = this.database;
    await pool.query(DELETE_MESSAGES, [idsOf(IDS_OF.messages)]);
    await pool.query(DELETE_DOMAINS, [idsOf(IDS_OF.domains)]);
    await pool.query(DELETE_KEY_USES, [idsOf(IDS_OF.keys)]);
  }
}
