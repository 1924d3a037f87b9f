import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { OPERATIONS, Refusal, requestsOf } from '@postern/contracts';
import { EventStore, Streams } from '@postern/event-sourcing';
import { PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { connectNats, Handles, type NatsLink, RequestClient } from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import { z } from 'zod';
import { PublishedLog } from './event-sourcing/published-log.js';
import { createLog } from './log/service-log.js';
import { type RunningService, startService } from './start-service.js';
import { addNote, describeCaller, listNotes, Notes, notebook, ReceivedNotes, tearOutNote } from './testing/notebook.js';

const ping = requestsOf('email-send')('ping', { request: z.object({}), reply: z.null() });

describe('A service made of feature modules', () => {
  let postgres: TestPostgres;
  let nats: TestNats;
  let service: RunningService;
  let link: NatsLink;
  let client: RequestClient;

  const start = async (...imports: Parameters<typeof notebook>) =>
    startService(
      notebook(...imports),
      {
        POSTERN_DATABASE_URL: await postgres.createDatabase(),
        POSTERN_NATS_SERVERS: nats.url,
        POSTERN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      },
      createLog('notebook', 'silent'),
    );

  beforeAll(async () => {
    [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
    service = await start();
    link = await connectNats({ servers: nats.url, name: 'caller' });
    client = new RequestClient(link);
  }, 60_000);

  afterAll(async () => {
    client?.close();
    await link?.close();
    await service?.stop();
    await nats?.stop();
    await postgres?.stop();
  });

  it('handles commands and queries by the decorators of its providers; a command reads its own write', async () => {
    await expect(client.request(addNote, { id: '1', text: 'first' })).resolves.toEqual({ count: 1 });
    await expect(client.request(addNote, { id: '2', text: 'second' })).resolves.toEqual({ count: 2 });
    await expect(client.request(listNotes, {})).resolves.toEqual(['first', 'second']);
  });

  it('refuses with the code that the decider threw', async () => {
    await client.request(addNote, { id: '3', text: 'third' });
    const refusal = await client.request(addNote, { id: '3', text: 'again' }).catch((error: unknown) => error);
    expect(Refusal.is(refusal)).toBe(true);
    expect(refusal).toMatchObject({ code: 'note_exists', message: 'note 3 exists' });
  });

  it('replies with null if a command returns nothing', async () => {
    await expect(client.request(tearOutNote, {})).resolves.toBeNull();
  });

  it('runs a handler with the context and the deadline of its caller', async () => {
    const caller = { correlationId: 'c-7', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const described = client.request(describeCaller, {}, caller);
    await expect(described).resolves.toEqual({ correlationId: 'c-7', traced: true, hasDeadline: true });
  });

  it('publishes its events, and a provider receives them', async () => {
    await client.request(addNote, { id: '4', text: 'published' });
    const { texts } = service.app.get(ReceivedNotes, { strict: false });
    await waitFor(() => texts.includes('published'), { describe: 'the event to arrive' });
  });

  it('has one event store, even if several modules import it', async () => {
    const get = (token: Parameters<typeof service.app.get>[0]) => service.app.get(token, { strict: false, each: true });
    expect(get(PostgresEventStore)).toHaveLength(1);
    expect(get(ProjectionRunner)).toHaveLength(1);
    expect(get(PublishedLog)).toHaveLength(1);
    expect(service.app.get(EventStore, { strict: false })).toBe(service.app.get(PostgresEventStore, { strict: false }));
    expect(get(Streams)).toHaveLength(1);
  });

  it('handles operator requests', async () => {
    const { listProjections, listReaders } = OPERATIONS['email-send'];
    await expect(client.request(listProjections, {})).resolves.toMatchObject({ projections: [{ name: 'notes' }] });
    await expect(client.request(listReaders, {})).resolves.toMatchObject({
      readers: [{ consumer: 'email-send-notes' }],
    });
  });

  it('does not start with two handlers for one contract', async () => {
    @Handles(addNote)
    class AddNoteAgain {
      async execute() {
        return { count: 0 };
      }
    }
    @Module({ providers: [AddNoteAgain] })
    class Duplicate {}
    await expect(start(Duplicate)).rejects.toThrow(
      'Two handlers for postern.requests.email-send.add-note: AddNote.execute and AddNoteAgain.execute',
    );
  });

  it('does not start with a handler that depends on a request-scoped provider', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {}
    @Handles(ping)
    class Ping {
      constructor(readonly perRequest: PerRequest) {}
      execute(): void {}
    }
    @Module({ providers: [PerRequest, Ping] })
    class RequestScoped {}
    await expect(start(RequestScoped)).rejects.toThrow('Ping handles messages and must be a singleton');
  });

  it('registers an alias of a handler once', async () => {
    @Handles(ping)
    class Ping {
      execute(): void {}
    }
    class Alias {}
    @Module({ providers: [Ping, { provide: Alias, useExisting: Ping }] })
    class Aliased {}
    const aliased = await start(Aliased);
    await expect(client.request(ping, {})).resolves.toBeNull();
    await aliased.stop();
  });

  it('does not compile a handler whose request or reply contradicts its contract', () => {
    // @ts-expect-error The reply has no count.
    @Handles(addNote)
    class WrongReply {
      async execute() {
        return { total: 0 };
      }
    }
    // @ts-expect-error The request has no number.
    @Handles(addNote)
    class WrongRequest {
      async execute(_request: { number: number }) {
        return { count: 0 };
      }
    }
    class Nothing {}
    // @ts-expect-error There is nothing to execute.
    expect(() => Handles(addNote)(Nothing)).toThrow('Nothing.execute must be a method of the class');
    @Injectable()
    class WrongQuery {
      constructor(@Inject(Notes) readonly notes: Notes) {}

      // @ts-expect-error The reply is a list.
      @Handles(listNotes)
      list(): string {
        return '';
      }
    }
    expect([WrongReply, WrongRequest, WrongQuery]).toHaveLength(3);
  });
});
