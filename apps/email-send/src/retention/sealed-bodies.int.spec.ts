import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Process, request, SendingFixture } from '../testing/sending-fixture.js';
import { Retention } from './retention.js';

const SECRET = 'https://shop.test/reset?token=8c1f2e6d0b';

/** The query by which the release before sealed bodies claims copies. */
const CLAIM_OF_EARLIER_RELEASE = `
  UPDATE deferred_copies AS copy
  SET claim = gen_random_uuid(), claimed_until = now() + interval '5 minutes'
  FROM email_bodies AS body
  WHERE body.email_id = copy.email_id AND (copy.email_id, copy.recipient_index) IN (
    SELECT email_id, recipient_index FROM deferred_copies WHERE claim IS NULL AND due_at <= now()
    ORDER BY due_at LIMIT 20 FOR UPDATE SKIP LOCKED
  )
  RETURNING copy.email_id, body.content`;

let fixture: SendingFixture;

beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterEach(async () => {
  fixture.smtp.reset();
  await fixture.pool.query('TRUNCATE deferred_copies');
});
afterAll(() => fixture.stop());

const retention = () => new Retention(fixture, fixture.seal, fixture.settings);

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
    const { rows } = await fixture.pool.query<{ sealed: string }>(
      'SELECT sealed FROM sealed_email_bodies WHERE email_id = $1',
      [other],
    );
    expect(() => fixture.seal.open(emailId, { sealed: rows[0]!.sealed, content: null })).toThrow();
  });
});

describe('beside a replica of the previous release', () => {
  it('a body in plain text is read, sealed in the background, and read again', async () => {
    const process = await fixture.process();
    const [first, second] = [await deferredMessage(process), await deferredMessage(process)];
    await asEarlierRelease([first, second]);
    await becomesDue(first);
    await process.retryDeferred.run();
    expect(retried()).toHaveLength(1);
    await retention().sealPlainBodies();
    expect([await fixture.count('email_bodies'), await tablesWith('8c1f2e6d0b')]).toEqual([0, []]);
    await becomesDue(second);
    await process.retryDeferred.run();
    expect(retried()).toHaveLength(2);
  });

  it('a sealed body is processed by the new release only', async () => {
    const process = await fixture.process();
    await deferredMessage(process);
    await becomesDue();
    expect((await fixture.pool.query(CLAIM_OF_EARLIER_RELEASE)).rows).toEqual([]);
    await process.retryDeferred.run();
    expect(retried()).toHaveLength(1);
  });

  it('bodies in plain text of final messages are deleted like sealed ones', async () => {
    const process = await fixture.process();
    const { email } = await process.sendEmail.execute(request(fixture.sender().keyHash));
    await asEarlierRelease([email.id]);
    await retention().purgeBodies(new Date(Date.now() + 1_000));
    expect([await fixture.count('email_bodies'), await fixture.count('sealed_email_bodies')]).toEqual([0, 0]);
  });

  it('more plain-text bodies than fit into one batch are sealed once each, by two concurrent replicas', async () => {
    await fixture.pool.query(`INSERT INTO email_bodies SELECT gen_random_uuid(), '{}' FROM generate_series(1, 250)`);
    await fixture.pool.query('TRUNCATE sealed_email_bodies');
    const replicas = [1, 2].map(() => retention());
    await Promise.all(replicas.map(replica => replica.sealPlainBodies()));
    await replicas[0]!.sealPlainBodies();
    expect([await fixture.count('email_bodies'), await fixture.count('sealed_email_bodies')]).toEqual([0, 250]);
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

/** Stores the bodies in the format of the previous release. */
async function asEarlierRelease(emailIds: readonly string[]): Promise<void> {
  for (const emailId of emailIds) {
    const { rows } = await fixture.pool.query<{ sealed: string }>(
      'DELETE FROM sealed_email_bodies WHERE email_id = $1 RETURNING sealed',
      [emailId],
    );
    const body = fixture.seal.open(emailId, { sealed: rows[0]!.sealed, content: null });
    await fixture.pool.query('INSERT INTO email_bodies VALUES ($1, $2)', [emailId, JSON.stringify(body)]);
  }
}

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
