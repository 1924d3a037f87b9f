import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import { eventsOf, Refusal, type ReplyOf, type RequestOf, requestsOf } from '@postern/contracts';
import { type Decider, Streams } from '@postern/event-sourcing';
import { migrateEventStore, type Projection } from '@postern/event-sourcing/postgres';
import { currentContext, type EventBatch, Handles, HandlesEvents, requestDeadline } from '@postern/messaging';
import { z } from 'zod';
import { defineConfig } from '../config/define-config.js';
import { databaseSettings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { EventSourcingModule } from '../event-sourcing/event-sourcing.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { encryptionKeys, KeyRing } from '../secrets/key-ring.js';
import type { ServiceOptions } from '../start-service.js';

/** An event-sourced service with one feature. */
const request = requestsOf('email-send');

export const addNote = request('add-note', {
  request: z.object({ id: z.string(), text: z.string() }),
  reply: z.object({ count: z.int() }),
  refusals: { note_exists: 409 },
});
export const listNotes = request('list-notes', { request: z.object({}), reply: z.array(z.string()) });
export const tearOutNote = request('tear-out-note', { request: z.object({}), reply: z.null() });
export const describeCaller = request('describe-caller', {
  request: z.object({}),
  reply: z.object({ correlationId: z.string(), traced: z.boolean(), hasDeadline: z.boolean() }),
});
export const noteAdded = eventsOf('email-send')('note-added.v1', z.object({ id: z.string(), text: z.string() }));

type NoteAdded = { readonly type: string; readonly data: z.output<typeof noteAdded.data> };

const note: Decider<boolean, NoteAdded['data'], NoteAdded> = {
  initial: false,
  decide: (data, exists) => {
    if (exists) throw new Refusal('note_exists', `note ${data.id} exists`);
    return [{ type: noteAdded.type, data }];
  },
  evolve: () => true,
};

const notes: Projection = {
  name: 'notes',
  version: 1,
  tables: ['notes'],
  eventTypes: [noteAdded.type],
  apply: async (events, tx) => {
    for (const { data } of events) {
      const { id, text } = data as NoteAdded['data'];
      await tx.query(`INSERT INTO ${tx.table('notes')} (id, text) VALUES ($1, $2)`, [id, text]);
    }
  },
};

@Injectable()
export class Notes {
  constructor(private readonly database: Database) {}

  @Handles(listNotes)
  async list(): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ text: string }>('SELECT text FROM notes ORDER BY id');
    return rows.map(({ text }) => text);
  }

  @Handles(describeCaller)
  describeCaller(): ReplyOf<typeof describeCaller> {
    const { correlationId, traceparent } = currentContext()!;
    return { correlationId, traced: traceparent !== undefined, hasDeadline: requestDeadline() !== undefined };
  }
}

@Handles(addNote)
class AddNote {
  constructor(
    private readonly streams: Streams,
    private readonly notes: Notes,
  ) {}

  async execute(request: RequestOf<typeof addNote>): Promise<ReplyOf<typeof addNote>> {
    await this.streams.execute(note, `note-${request.id}`, request);
    return { count: (await this.notes.list()).length };
  }
}

@Handles(tearOutNote)
class TearOutNote {
  execute(): void {}
}

/** Follows the events of its own service. */
@Injectable()
export class ReceivedNotes {
  readonly texts: string[] = [];

  @HandlesEvents([noteAdded], { consumer: 'notes' })
  receive(batch: EventBatch<typeof noteAdded>): void {
    for (const { data } of batch) this.texts.push(data.text);
  }
}

const eventSourcing = EventSourcingModule.forService({
  service: 'email-send',
  events: [noteAdded],
  projections: [notes],
  readYourWrites: notes,
});

@Module({ imports: [eventSourcing], providers: [AddNote, TearOutNote, Notes, ReceivedNotes], exports: [Notes] })
export class NotesModule {}

const operations = OperationsModule.forService({
  service: 'email-send',
  imports: [eventSourcing],
  inject: [KeyRing],
  useFactory: () => ({}),
});

export const notebookConfig = defineConfig({ ...databaseSettings, encryptionKeys: encryptionKeys() });

/** The service with additional modules. */
export const notebook = (...imports: (Type | DynamicModule)[]): ServiceOptions<typeof notebookConfig> => {
  // Importing the same constant twice creates no second event store.
  @Module({ imports: [NotesModule, operations, ...imports] })
  class NotebookModule {}

  return {
    name: 'email-send',
    config: notebookConfig,
    module: NotebookModule,
    database: {
      directory: new URL('../../src/testing/notebook-migrations', import.meta.url),
      afterwards: migrateEventStore,
    },
  };
};
