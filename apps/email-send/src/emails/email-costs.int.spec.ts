import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DatabaseCosts, databaseCosts, waitFor } from '@postern/testing';
import { request, SendingFixture } from '../testing/sending-fixture.js';

const MESSAGES = 200;
/** What the benchmark sends: 2 KiB of HTML. */
const HTML = `<p>${Array.from({ length: 60 }, (_, line) => `Line ${line} of your receipt, 4.20 EUR.`).join('</p>\n<p>')}</p>`;

let fixture: SendingFixture;
let costs: DatabaseCosts;

beforeAll(async () => {
  fixture = await SendingFixture.start({ ofItsOwn: true });
  const { keyHash } = fixture.sender({ perMinuteLimit: 100_000, dailyLimit: 100_000, openTracking: true });
  // The first message, in another process, creates the counters.
  const first = await fixture.process();
  await first.sendEmail.execute(request(keyHash, { message: HTML }));
  await first.die();
  await waitFor(
    async () => (await fixture.count("pg_stat_user_tables WHERE relname = 'emails' AND n_tup_ins = 1")) === 1,
  );
  const process = await fixture.process();
  const send = () => process.sendEmail.execute(request(keyHash, { message: HTML }));
  costs = await databaseCosts(fixture.databaseUrl, process.pool, async () => {
    for (let number = 0; number < MESSAGES; number++) await send();
    await process.die();
  });
}, 60_000);
afterAll(() => fixture?.stop());

/** Without what depends on the time: the lease of a process, and a counter of the next minute. */
const ofMessages = ({ leases: _, sending_usage: __, ...tables }: Readonly<Record<string, number>>) => tables;

// One after the other, so that nothing is shared: under load, a statement serves many messages.
describe('The cost of an email in the database of email-send', () => {
  it('is one statement that admits it, and one that concludes it', () => {
    expect(costs.statements).toBeLessThanOrEqual(MESSAGES * 2 + MESSAGES / 10);
  });

  it('is two events, its record, its body and its open request', () => {
    expect(ofMessages(costs.inserted)).toEqual({
      emails: MESSAGES,
      events: MESSAGES * 2,
      open_requests: MESSAGES,
      sealed_email_bodies: MESSAGES,
    });
  });

  it('changes the counters of the minute and the day', () => {
    const counted = (costs.updated['sending_usage'] ?? 0) + (costs.inserted['sending_usage'] ?? 0);
    expect(counted).toBe(MESSAGES * 2);
  });

  it('is at most 6 KB of write-ahead log and 5 KB on disk, the body of 2.8 KB included', () => {
    expect(costs.walBytes / MESSAGES).toBeLessThan(6_000);
    expect(costs.bytes / MESSAGES).toBeLessThan(5_000);
  });
});
