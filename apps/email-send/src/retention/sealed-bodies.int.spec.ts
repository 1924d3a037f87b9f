import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { StoredBody } from '../emails/body-seal.js';
import { type Process, request, SendingFixture } from '../testing/sending-fixture.js';

const SECRET = 'https://shop.test/reset?token=8c1f2e6d0b';

let fixture: SendingFixture;

beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterEach(async () => {
  fixture.smtp.reset();
  await fixture.pool.query('TRUNCATE deferred_copies');
});
afterAll(() => fixture.stop());

describe('the body of a message', () => {
  it('is never stored in plain text, whether its copies are accepted, rejected or wait for a retry', async () => {
    const process = await fixture.process();
    const { keyHash } = fixture.sender();
    await process.sendEmail.execute(request(keyHash, { text: SECRET, message: `<p>${SECRET}</p>` }, 'order 1'));
    fixture.smtp.answer({ stage: 'rcpt', address: 'refused@x.test', code: 550, text: 'no', times: 1 });
    await process.sendEmail.execute(request(keyHash, { to: ['refused@x.test'], text: SECRET }));
    await deferredMessage(process);
    expect(await fixture.count('sealed_email_bodies')).toBe(3);
    expect(await tablesWith('8c1f2e6d0b')).toEqual([]);
  });

  it('is decrypted for a retry, and only in its own row', async () => {
    const process = await fixture.process();
    const emailId = await deferredMessage(process);
    const other = await deferredMessage(process);
    await becomesDue();
    await process.retryDeferred.run();
    expect(retried()).toHaveLength(2);
    expect(retried()[0]!.raw.toString().replaceAll('=\r\n', '')).toContain('token=3D8c1f2e6d0b');
    const { rows } = await fixture.pool.query<StoredBody>(
      'SELECT key_id, body FROM sealed_email_bodies WHERE email_id = $1',
      [other],
    );
    expect(() => fixture.seal.open(emailId, rows[0]!)).toThrow();
  });
});

async function deferredMessage(process: Process): Promise<string> {
  const address = 'later@x.test';
  fixture.smtp.answer({ stage: 'rcpt', address, code: 451, text: '4.2.0 later', times: 1 });
  const { email } = await process.sendEmail.execute(
    request(fixture.sender().keyHash, { to: ['ada@x.test', address], text: SECRET }),
  );
  expect(email.message).toContain('will be retried');
  return email.id;
}

const retried = () => fixture.smtp.messages.filter(({ to }) => to[0]!.address === 'later@x.test');

const becomesDue = (emailId?: string) =>
  fixture.pool.query(
    `UPDATE deferred_copies SET due_at = now() - interval '1 second' WHERE $1::uuid IS NULL OR email_id = $1`,
    [emailId ?? null],
  );

/** The tables with a row that contains the text. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await fixture.pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await fixture.pool.query(`SELECT FROM ${name} AS t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [
        text,
      ]);
      return rowCount ? [name] : [];
    }),
  );
  return found.flat();
}
