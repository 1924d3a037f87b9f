import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  type PipeTransform,
  type RpcExceptionFilter,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Refusal, requestsOf } from '@postern/contracts';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import {
  connectNats,
  type EventBatch,
  Handles,
  HandlesEvents,
  HandlesEventsInTransaction,
  type NatsLink,
  RemoteFault,
  RequestClient,
  type RequestContext,
} from '@postern/messaging';
import { startNats, startPostgres, type TestNats, type TestPostgres, waitFor } from '@postern/testing';
import { map, type Observable, of, tap } from 'rxjs';
import { z } from 'zod';
import { createLog } from './log/service-log.js';
import { type RunningService, startService } from './start-service.js';
import { addNote, Notes, NotesModule, noteAdded, notebook } from './testing/notebook.js';

const request = requestsOf('email-send');
const text = { request: z.object({ text: z.string() }), reply: z.object({ text: z.string() }) };
const read = request('read', text);
const shout = request('shout', { ...text, refusals: { too_loud: 429 } });
const fail = request('fail', text);
const count = request('count', { request: z.object({}), reply: z.int() });
const whoAmI = request('who-am-i', { request: z.object({}), reply: z.string() });

interface Text {
  readonly text: string;
}

/** Permits readers; asks another provider, as a guard of Nest may. */
@Injectable()
class Permits implements CanActivate {
  constructor(@Inject(Notes) private readonly notes: Notes) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.notes.list();
    const rpc = context.switchToRpc();
    calls.push(`${context.getType()} ${context.getClass().name}.${context.getHandler().name}`);
    if (rpc.getData<Text>().text === 'too loud') throw new Refusal('too_loud', 'Whisper');
    return rpc.getContext<RequestContext>().actor !== 'a stranger';
  }
}

class Trimmed implements PipeTransform {
  transform(value: Text): Text {
    return { text: value.text.trim() };
  }
}

class Loud implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<Text>): Observable<Text> {
    return next.handle().pipe(map(reply => ({ text: reply.text.toUpperCase() })));
  }
}

@Catch(TypeError)
class Excuses implements RpcExceptionFilter<TypeError> {
  catch(error: TypeError): Observable<Text> {
    return of({ text: `Excuse me: ${error.message}` });
  }
}

let calls: string[];

@Injectable()
@UseGuards(Permits)
class Texts {
  @Handles(read)
  @UsePipes(Trimmed)
  read({ text }: Text): Text {
    calls.push('Texts.read runs');
    return { text };
  }

  @Handles(shout)
  @UseInterceptors(Loud)
  shout(@Payload(Trimmed) { text }: Text, @Ctx() { correlationId }: RequestContext): Text {
    return { text: `${text} ${correlationId}` };
  }

  @Handles(fail)
  @UseFilters(Excuses)
  fail({ text }: Text): Text {
    if (text === 'type') throw new TypeError('not my type');
    throw new RangeError('out of range');
  }
}

/** A controller that Nest creates anew for every request. */
@Controller({ scope: Scope.REQUEST })
class Counter {
  private counted = 0;

  @Handles(count)
  count(): number {
    this.counted += 1;
    return this.counted;
  }
}

@Handles(whoAmI)
@UseGuards(Permits)
class WhoAmI {
  execute(): string {
    return 'you';
  }
}

/** Notes which batches its handler receives, and lets the first call fail. */
class Noted implements NestInterceptor {
  static calls = 0;

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const batch = context.switchToRpc().getData<EventBatch<typeof noteAdded>>();
    return next.handle().pipe(
      tap(() => {
        Noted.calls += 1;
        if (Noted.calls === 1) throw new Error('the first call of a handler');
        intercepted.push(...batch.map(({ data }) => data.text));
      }),
    );
  }
}

const intercepted: string[] = [];
const inTransaction: string[] = [];

@Catch()
class Passing implements RpcExceptionFilter {
  static caught: unknown[] = [];

  catch(error: unknown, host: ArgumentsHost): Observable<null> {
    Passing.caught.push(error, host.getType());
    return of(null);
  }
}

@Injectable()
class Readers {
  @HandlesEvents([noteAdded], { consumer: 'intercepted' })
  @UseInterceptors(Noted)
  received(): void {}

  @HandlesEventsInTransaction([noteAdded], { consumer: 'in-transaction' })
  @UseFilters(Passing)
  async stored(batch: EventBatch<typeof noteAdded>, { client, afterCommit }: EventTransaction): Promise<void> {
    await client.query('SELECT 1');
    afterCommit(() => void inTransaction.push(...batch.map(({ data }) => data.text)));
    if (batch.some(({ data }) => data.text === 'passed over')) throw new Error('of the handler');
  }
}

@Module({ imports: [NotesModule], providers: [Texts, WhoAmI, Readers], controllers: [Counter] })
class Enhanced {}

let postgres: TestPostgres;
let nats: TestNats;
let service: RunningService;
let link: NatsLink;
let client: RequestClient;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres({ durable: false }), startNats()]);
  service = await startService(
    notebook(Enhanced),
    {
      POSTERN_DATABASE_URL: await postgres.createDatabase(),
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    },
    createLog('notebook', 'silent'),
  );
  link = await connectNats({ servers: nats.url, name: 'caller' });
  client = new RequestClient(link);
}, 60_000);

beforeEach(() => {
  calls = [];
});

afterAll(async () => {
  client?.close();
  await link?.close();
  await service?.stop();
  await nats?.stop();
  await postgres?.stop();
});

const failure = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);

it('A guard decides with the request, its context and other providers before the handler runs', async () => {
  await expect(client.request(read, { text: 'a' }, { correlationId: 'c', actor: 'a friend' })).resolves.toEqual({
    text: 'a',
  });
  expect(calls).toEqual(['rpc Texts.read', 'Texts.read runs']);
  const denied = await failure(client.request(read, { text: 'a' }, { correlationId: 'c', actor: 'a stranger' }));
  expect(Refusal.is(denied)).toBe(true);
  expect(denied).toMatchObject({ code: 'forbidden', status: 403, message: 'A guard denied the request' });
  expect(calls).toEqual(['rpc Texts.read', 'Texts.read runs', 'rpc Texts.read']);
});

it('A guard of a class applies to its command, and a guard may refuse with a code of the contract', async () => {
  await expect(client.request(whoAmI, {}, { correlationId: 'c', actor: 'a friend' })).resolves.toBe('you');
  await expect(client.request(whoAmI, {}, { correlationId: 'c', actor: 'a stranger' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(client.request(shout, { text: 'too loud' })).rejects.toMatchObject({ code: 'too_loud', status: 429 });
});

it('A pipe changes what the handler receives', async () => {
  await expect(client.request(read, { text: '  padded ' })).resolves.toEqual({ text: 'padded' });
});

it('An interceptor changes the reply, and parameters have decorators of Nest', async () => {
  const shouted = client.request(shout, { text: ' hello ' }, { correlationId: 'c-9' });
  await expect(shouted).resolves.toEqual({ text: 'HELLO C-9' });
});

it('An exception filter answers for the errors that it catches; others are faults', async () => {
  await expect(client.request(fail, { text: 'type' })).resolves.toEqual({ text: 'Excuse me: not my type' });
  const fault = await failure(client.request(fail, { text: 'range' }, { correlationId: 'c-8' }));
  expect(fault).toBeInstanceOf(RemoteFault);
  expect((fault as Error).message).toContain('internal error, logged under correlation id c-8');
});

it('A controller may have handlers, and may be created for every request', async () => {
  await expect(client.request(count, {})).resolves.toBe(1);
  await expect(client.request(count, {})).resolves.toBe(1);
});

it('A handler of events has interceptors, is called again when one fails, and has exception filters', async () => {
  await client.request(addNote, { id: '1', text: 'first' });
  await waitFor(() => intercepted.includes('first'), { describe: 'the event to be handled again' });
  expect(Noted.calls).toBeGreaterThanOrEqual(2);
  await waitFor(() => inTransaction.includes('first'), { describe: 'the event to be handled in a transaction' });
  await client.request(addNote, { id: '2', text: 'passed over' });
  await waitFor(() => inTransaction.includes('passed over'), { describe: 'the transaction to commit' });
  expect(Passing.caught).toEqual([expect.objectContaining({ message: 'of the handler' }), 'rpc']);
});
