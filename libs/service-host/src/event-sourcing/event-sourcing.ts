import { Injectable } from '@nestjs/common';
import { Streams } from '@postern/event-sourcing';
import {
  CommandTransactions,
  type CommandTransactionsOptions,
  hasWrittenUnderClaim,
  PostgresEventStore,
  type Projection,
  ProjectionRunner,
} from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';

/** A repetition asks for the answer of a committed command, which may exist long after its first caller gave up. */
const ANSWER_WITHIN_MS = 60_000;

/** The dependencies of a command to append events and to return once a read model shows them. */
export type WriteOptions = CommandTransactionsOptions;

/**
 * Creates the ports through which commands write; each waits for one read model, so that callers read their own writes.
 */
@Injectable()
export class EventSourcing {
  constructor(
    readonly store: PostgresEventStore,
    readonly runner: ProjectionRunner,
    private readonly readYourWrites?: Pick<Projection, 'name'>,
  ) {}

  /** For adapters that append in their own transactions; without a projection, the one of `readYourWrites`. */
  writeOptions(projection = this.readYourWrites): WriteOptions {
    if (!projection) throw new TypeError('this service has no projection that writes wait for');
    const { name } = projection;
    return {
      store: this.store,
      waitUntil: position =>
        this.runner.waitUntil(name, position, hasWrittenUnderClaim() ? ANSWER_WITHIN_MS : undefined),
      // Background jobs run outside requests, so their work starts a new correlation.
      metadata: () => ({ correlationId: uuidv7(), ...currentContext() }),
    };
  }

  /** For commands that write only events. */
  streams(projection: Pick<Projection, 'name'>): Streams {
    return new Streams(this.writeOptions(projection));
  }

  /** For commands that write events and rows in one transaction. */
  transactions(projection: Pick<Projection, 'name'>): CommandTransactions {
    return new CommandTransactions(this.writeOptions(projection));
  }
}
