import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { READ_BUILD_QUEUE } from './build-queue.sql.js';

interface WaitingRow {
  readonly id: string;
  readonly web_service_id: string;
}

/** Reads the queue from the read model, so that every replica shows the order that the leader uses. */
@Injectable()
export class BuildQueue {
  constructor(private readonly database: Database) {}

  /** The web services of the deployments, without duplicates. */
  async webServiceIds(): Promise<readonly string[]> {
    return [...new Set((await this.#rows()).map(({ web_service_id }) => web_service_id))];
  }

  /** The position of each deployment by its id, starting at 1. */
  async positions(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.#rows()).map(({ id }, index) => [id, index + 1]));
  }

  async #rows(): Promise<readonly WaitingRow[]> {
    const { rows } = await this.database.pool.query<WaitingRow>({ name: 'build-queue', text: READ_BUILD_QUEUE });
    return rows;
  }
}
