import { Injectable } from '@nestjs/common';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { projectNotFound } from '../../projects/ports.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { DELETE_SEALED_VALUE, SEAL_VALUES } from './environment.sql.js';
import {
  type Collection,
  deciderOf,
  type NamedValueCommand,
  type NamedValueEvent,
  type NamedValues,
  ownerStream,
  slotOf,
  valueIn,
  valueStream,
} from './named-values.js';
import { type SetValue, type ValueToSet } from './ports.js';
import { sealedValueRow } from './sealed-values.js';

/** Writes events and encrypted values in one transaction. Values are not in events, so that they can be deleted. */
@Injectable()
export class NamedValueRepository {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly keys: KeyRing,
  ) {}

  /** Sets all values or none. @returns for each value, in order, its id and whether its key is new. */
  async set(collection: Collection, ownerId: string, values: readonly ValueToSet[]): Promise<readonly SetValue[]> {
    const command = { kind: 'set', ownerId, values, at: new Date().toISOString() } as const;
    let before: NamedValues | undefined;
    const events = await this.#execute(collection, command, (client, appended, state) => {
      before = state;
      return this.#seal(client, idsOf(appended), values, collection === 'variables' ? ownerId : null);
    });
    return events.flatMap(({ data }) =>
      'key' in data
        ? [
            {
              id: data.value_id,
              key: data.key,
              scope: data.scope ?? undefined,
              isSecret: data.is_secret,
              created: before === undefined || valueIn(before, slotOf(data)) === undefined,
            },
          ]
        : [],
    );
  }

  /** Refuses with `variable_not_found` or `project_secret_not_found`. */
  async delete(collection: Collection, ownerId: string, valueId: string): Promise<void> {
    const command = { kind: 'delete', ownerId, valueId, at: new Date().toISOString() } as const;
    await this.#execute(collection, command, client => client.query(DELETE_SEALED_VALUE, [valueId]));
  }

  #execute(
    collection: Collection,
    command: NamedValueCommand,
    write: (client: pg.ClientBase, events: readonly NamedValueEvent[], before: NamedValues) => Promise<unknown>,
  ): Promise<readonly NamedValueEvent[]> {
    const streamId = valueStream(collection, command.ownerId);
    const owner = ownerStream(collection, command.ownerId);
    const check = async (client: pg.ClientBase) => {
      if (await isDeleted(client, owner)) throw collection === 'variables' ? webServiceNotFound() : projectNotFound();
    };
    return this.transactions.execute({
      decider: deciderOf(collection),
      streamId,
      command,
      locks: [owner],
      check,
      write,
    });
  }

  async #seal(
    client: pg.ClientBase,
    ids: readonly string[],
    values: readonly ValueToSet[],
    webServiceId: string | null,
  ): Promise<void> {
    const sealed = values.map(({ value }, index) => this.keys.seal(value, sealedValueRow(ids[index] as string)));
    await client.query(SEAL_VALUES, [ids, sealed, webServiceId]);
  }
}

const idsOf = (events: readonly NamedValueEvent[]): string[] => events.map(({ data }) => data.value_id);
