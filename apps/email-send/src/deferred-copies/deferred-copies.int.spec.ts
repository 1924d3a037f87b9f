import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { silentLog } from '@postern/messaging';
import type { ServiceLog } from '@postern/service-host';
import { waitFor } from '@postern/testing';
import type { Sender } from '../api-keys/ports.js';
import type { MailRelay } from '../relay/ports.js';
import {
  answersOf,
  becomeDue,
  endLeases,
  outcomesOf,
  partlyDeferred,
  passDeadline,
} from '../testing/deferred-copies-fixture.js';
import { type Process, SendingFixture } from '../testing/sending-fixture.js';
import { DeferredCopies } from './deferred-copies.js';
import { RetryDeferredCopies } from './retry-deferred-copies.js';

let fixture: SendingFixture;
let process: Process;

beforeAll(async () => {
  fixture = await SendingFixture.start();
});
beforeEach(async () => {
  process = await fixture.process();
});
afterEach(async () => {
  fixture.smtp.reset();
  await fixture.pool.query('TRUNCATE deferred_copies');
});
afterAll(() => fixture.stop());

describe('a copy that the relay deferred while it accepted another', () => {
  it('is retried when it is due, and each attempt is published', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'later@x.test', times: 2 });
    await becomeDue(fixture);
    await process.retryDeferred.run();
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'deferred', 'accepted']);
    expect(messagesTo('later@x.test')).toHaveLength(1);
    expect(await fixture.count('deferred_copies')).toBe(0);
  });

  it('is not retried before it is due', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'early@x.test' });
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred']);
  });

  it('expires at its deadline', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'never@x.test', times: 9 });
    await passDeadline(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'expired']);
    expect(await fixture.count('deferred_copies')).toBe(0);
  });

  it('is retried by one replica at a time', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'once@x.test' });
    const other = await fixture.process();
    await becomeDue(fixture);
    await Promise.all([process.retryDeferred.run(), other.retryDeferred.run()]);
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'accepted']);
  });

  it('is closed as unknown, and not retried, when an attempt was interrupted', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'cut@x.test' });
    await becomeDue(fixture);
    await process.copies.claimDue(new Date(), 10);
    await endLeases(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'unknown']);
    expect(messagesTo('cut@x.test')).toEqual([]);
  });
});

describe('an attempt during an outage of the database', () => {
  it('that fails before the hand-over is repeated and does not count', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'brief@x.test' });
    await becomeDue(fixture);
    fixture.senders.failures.push(new Error('Connection terminated unexpectedly'));
    await attempt(process);
    expect(await waiting()).toEqual([{ tries: 0, claimed: false, due: false }]);
    await endLeases(fixture);
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'accepted']);
    expect(messagesTo('brief@x.test')).toHaveLength(1);
  });

  it('is repeated after its deadline if it was the last one', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'last@x.test' });
    await passDeadline(fixture);
    fixture.senders.failures.push(new Error('Connection terminated unexpectedly'));
    await attempt(process);
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'accepted']);
  });

  it('is repeated if the response to its claim was lost', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'claim@x.test' });
    await becomeDue(fixture);
    const { pool } = process;
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    pool.query = (async (...args: unknown[]) => {
      const result = await query(...args);
      if (!String(args[0]).includes('SET claim = ') || !String(args[0]).includes('due_at <= $1')) return result;
      pool.query = query as typeof pool.query;
      throw new Error('Connection terminated unexpectedly');
    }) as typeof pool.query;
    await expect(process.retryDeferred.run()).rejects.toThrow('Connection terminated');
    await endLeases(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'accepted']);
  });

  it('keeps the answer of the relay until it can be recorded', async () => {
    const address = 'answered@x.test';
    const emailId = await partlyDeferred(fixture, process, { address });
    await becomeDue(fixture);
    fixture.smtp.answer({ stage: 'data', address, code: 451, text: '4.2.0 later', delayMs: 500, times: 1 });
    const { received, refused } = fixture.smtp.counters;
    const attempted = attempt(process);
    await waitFor(() => fixture.smtp.counters.received > received, { timeoutMs: 5_000 });
    await fixture.postgres.kill();
    await waitFor(() => fixture.smtp.counters.refused > refused, { timeoutMs: 5_000 });
    await fixture.postgres.restart();
    await attempted;
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'deferred']);
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'deferred', 'accepted']);
  });

  it('is not considered interrupted before its process had time to record the answer', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'long@x.test' });
    await becomeDue(fixture);
    const copies = new DeferredCopiesAfterRestart(new PostgresEventStore(fixture.pool), fixture.seal);
    const [copy] = await copies.claimDue(new Date(), 1);
    await endLeases(fixture);
    expect(await copies.claimCutOff(new Date(), 1)).toEqual([]);
    await copies.settle(copy!, ACCEPTED, new Date());
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'accepted']);
  });

  it('keeps its claim if the relay may have accepted the copy', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'begun@x.test' });
    await becomeDue(fixture);
    const broken = { handOver: async () => Promise.reject(new Error('a bug')) } as unknown as MailRelay;
    await attempt({
      retryDeferred: new RetryDeferredCopies(
        process.copies,
        broken,
        fixture.senders,
        process.suppressions,
        fixture.settings,
        silentLog as ServiceLog,
        { now: () => new Date() },
      ),
    });
    expect(await waiting()).toMatchObject([{ claimed: true }]);
    await endLeases(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'unknown']);
  });
});

describe('a copy that waits', () => {
  const SANDBOX = { mode: 'sandbox', verifiedRecipients: new Set(['ada@x.test', 'bob@x.test']) } as const;

  it.each<[string, Partial<Sender>, Partial<Sender> | undefined, string]>([
    ['disabled', {}, { enabled: false }, 'the email service was disabled'],
    ['deleted', {}, undefined, 'the email service was deleted'],
    ['without its domain', {}, { verifiedDomains: new Map() }, 'the sending domain was removed'],
    ['without the recipient', SANDBOX, { verifiedRecipients: new Set(['ada@x.test']) }, 'the address was removed'],
    [
      'in production, without the recipient of sandbox mail',
      SANDBOX,
      { mode: 'production', verifiedRecipients: new Set(['ada@x.test']) },
      'the address was removed',
    ],
  ])('ends when its service is %s', async (_, before, change, reason) => {
    const sender = fixture.sender(before);
    const { keyHash } = sender;
    const received = messagesTo('bob@x.test').length;
    const emailId = await partlyDeferred(fixture, process, { address: 'bob@x.test', sender });
    if (change) fixture.senders.senders.set(keyHash, { ...sender.sender, ...change });
    else fixture.senders.senders.delete(keyHash);
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect((await answersOf(fixture, emailId)).at(-1)).toMatchObject({
      result: 'refused',
      smtp_response: expect.stringContaining(reason),
    });
    expect(messagesTo('bob@x.test')).toHaveLength(received);
    expect(await fixture.count('deferred_copies')).toBe(0);
  });

  it('ends when its address was suppressed meanwhile', async () => {
    const sender = fixture.sender({ suppression: true });
    const emailId = await partlyDeferred(fixture, process, { address: 'sue@x.test', sender });
    const { serviceId } = sender.sender;
    await process.suppressions.apply([{ serviceId, address: 'sue@x.test', isSuppressed: true, at: new Date() }]);
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'suppressed']);
    expect(messagesTo('sue@x.test')).toEqual([]);
  });

  it('in sandbox mode is handed over while its recipient is verified', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'bob@x.test', sender: fixture.sender(SANDBOX) });
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'accepted']);
  });
});

describe('a copy whose body cannot be decrypted', () => {
  it('is retried when the key is configured again, and others are retried before', async () => {
    const unreadable = await partlyDeferred(fixture, process, { address: 'sealed@x.test' });
    const readable = await partlyDeferred(fixture, process, { address: 'fine@x.test' });
    await renameKey(unreadable, 'test', 'removed');
    await becomeDue(fixture);
    await attempt(process);
    expect(await outcomesOf(fixture, unreadable)).toEqual(['deferred']);
    expect(await outcomesOf(fixture, readable)).toEqual(['deferred', 'accepted']);
    expect(await waiting()).toEqual([{ tries: 0, claimed: false, due: false }]);
    await renameKey(unreadable, 'removed', 'test');
    await becomeDue(fixture);
    await process.retryDeferred.run();
    expect(await outcomesOf(fixture, unreadable)).toEqual(['deferred', 'accepted']);
  });

  it('expires at its deadline with the reason', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'lost@x.test' });
    await renameKey(emailId, 'test', 'removed');
    await passDeadline(fixture);
    await attempt(process);
    expect((await answersOf(fixture, emailId)).at(-1)).toMatchObject({
      result: 'expired',
      smtp_response: 'this copy could not be prepared: its stored content could not be read',
    });
    expect(await fixture.count('deferred_copies')).toBe(0);
  });

  it('is closed as unknown like any other when an attempt was interrupted', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'both@x.test' });
    await becomeDue(fixture);
    await process.copies.claimDue(new Date(), 10);
    await renameKey(emailId, 'test', 'removed');
    await endLeases(fixture);
    await attempt(process);
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'unknown']);
    expect(await fixture.count('deferred_copies')).toBe(0);
  });

  it('and has no body at all expires at its deadline', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'gone@x.test' });
    await fixture.pool.query('DELETE FROM sealed_email_bodies WHERE email_id = $1', [emailId]);
    await passDeadline(fixture);
    await attempt(process);
    expect(await outcomesOf(fixture, emailId)).toEqual(['deferred', 'expired']);
  });
});

const ACCEPTED = { result: 'accepted', response: '250 ok', relay: null, relayIsFinal: false } as const;

/** As if PostgreSQL had just been restarted. */
class DeferredCopiesAfterRestart extends DeferredCopies {
  protected override readonly graceAfterRestartS = 1_000_000_000;
}

/** One run of the timer, which continues after an error. */
const attempt = ({ retryDeferred }: Pick<Process, 'retryDeferred'>) => retryDeferred.run().catch(() => {});

const messagesTo = (address: string) => fixture.smtp.messages.filter(({ to }) => to[0]!.address === address);

async function waiting() {
  const { rows } = await fixture.pool.query(
    'SELECT tries, claim IS NOT NULL AS claimed, due_at <= now() AS due FROM deferred_copies',
  );
  return rows;
}

/** The body of a message seems to be sealed with another key. */
const renameKey = (emailId: string, from: string, to: string) =>
  fixture.pool.query('UPDATE sealed_email_bodies SET key_id = $3 WHERE email_id = $1 AND key_id = $2', [
    emailId,
    from,
    to,
  ]);
