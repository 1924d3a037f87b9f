import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addVerifiedRecipient,
  countCodeOptOuts,
  createApiKey,
  createEmailService,
  listVerifiedRecipients,
  OPERATIONS,
  optOutOfCodes,
  preAddRecipient,
  removeCodeOptOut,
  removeVerifiedRecipient,
  verifyRecipient,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { PostgresSenderDirectory } from '../api-keys/postgres-sender-directory.js';
import { AdministrationFixture } from '../testing/administration-fixture.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);

let owner: { workspace_id: string; service_id: string };
let key: string;
let address: string;
let count = 0;
beforeEach(async () => {
  const workspace_id = uuidv7();
  const service = await call(createEmailService, { workspace_id, name: 'App' });
  owner = { workspace_id, service_id: service.id };
  ({ key } = await call(createApiKey, { ...owner, name: 'app' }));
  address = `ada${++count}@example.com`;
});

const add = () => call(addVerifiedRecipient, { ...owner, address });
const enter = (recipient_id: string, code: string) => call(verifyRecipient, { ...owner, recipient_id, code });
const mailsTo = (recipient: string) =>
  fixture.smtp.messages.filter(({ to }) => to.some(({ address: to }) => to === recipient));
const lastCode = (recipient = address) => {
  const [, code] = /^Your verification code is (\d{6})\./m.exec(mailsTo(recipient).at(-1)!.raw.toString())!;
  return code!;
};
const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap(result => (result.status === 'rejected' ? [(result.reason as { code: string }).code] : []));
const mailOf = (recipient: string) => {
  const [headers = '', ...paragraphs] = mailsTo(recipient).at(-1)!.raw.toString().split('\r\n\r\n');
  return { headers: `\r\n${headers}\r\n`, text: paragraphs.join('\n').replaceAll('=\r\n', '') };
};
const wrongCode = () => String((Number(lastCode()) + 1) % 1_000_000).padStart(6, '0');
/** The sandbox recipients of the service in each replica. */
const gated = async () => {
  const hash = createHash('sha256').update(key).digest('hex');
  const senders = await Promise.all(
    fixture.replicas.map(replica => replica.app.get(PostgresSenderDirectory).findByKeyHash(hash)),
  );
  return senders.map(sender => [...sender!.verifiedRecipients]);
};

describe('a verified recipient', () => {
  it('is mailed a code that is valid for 24 hours, and receives mail once it is entered', async () => {
    const recipient = await add();
    expect(recipient).toMatchObject({ address, status: 'awaiting_code', verified_at: null });
    expect(Date.parse(recipient.code_expires_at!) - Date.parse(recipient.created_at)).toBe(24 * 3_600_000);
    expect(await gated()).toEqual([[], []]);
    await expect(enter(recipient.id, lastCode())).resolves.toMatchObject({ status: 'verified', code_expires_at: null });
    expect(await gated()).toEqual([[address], [address]]);
  });

  it('is the same in any letter case', async () => {
    const { id } = await call(addVerifiedRecipient, { ...owner, address: address.toUpperCase() });
    await expect(add()).resolves.toMatchObject({ id, address });
    await enter(id, lastCode());
    await expect(add()).rejects.toMatchObject({ code: 'recipient_exists' });
  });

  it('receives no more mail once its removal has returned', async () => {
    const { id: recipient_id } = await add();
    await enter(recipient_id, lastCode());
    await call(removeVerifiedRecipient, { ...owner, recipient_id });
    expect(await gated()).toEqual([[], []]);
    await expect(call(listVerifiedRecipients, owner)).resolves.toEqual([]);
    await expect(enter(recipient_id, lastCode())).rejects.toMatchObject({ code: 'recipient_not_found' });
  });

  it('needs no code if the platform has verified it', async () => {
    const recipient = await call(preAddRecipient, { ...owner, address });
    expect(recipient).toMatchObject({ status: 'verified', code_expires_at: null });
    expect(mailsTo(address)).toEqual([]);
    expect(await gated()).toEqual([[address], [address]]);
    await expect(call(preAddRecipient, { ...owner, address })).rejects.toMatchObject({ code: 'recipient_exists' });
  });

  it('belongs to its service only', async () => {
    const { id: recipient_id } = await add();
    const other = await call(createEmailService, { workspace_id: owner.workspace_id, name: 'Other' });
    await expect(
      call(verifyRecipient, { ...owner, service_id: other.id, recipient_id, code: lastCode() }),
    ).rejects.toMatchObject({ code: 'recipient_not_found' });
    await expect(call(listVerifiedRecipients, { ...owner, workspace_id: uuidv7() })).rejects.toMatchObject({
      code: 'service_not_found',
    });
  });

  it('must have an address', async () =>
    expect(call(addVerifiedRecipient, { ...owner, address: 'ada@localhost' })).rejects.toMatchObject({
      code: 'invalid_input',
    }));
});

describe('a verification code', () => {
  it('is refused after five wrong codes, even if more are entered concurrently on several replicas', async () => {
    const { id } = await add();
    const tries = (length: number) => Promise.allSettled(Array.from({ length }, () => enter(id, wrongCode())));
    const results = [...(await tries(3)), ...(await tries(5))];
    const refusals = results.map(result => result.status === 'rejected' && (result.reason as { code: string }).code);
    expect(refusals.filter(code => code === 'code_wrong')).toHaveLength(5);
    expect(refusals.filter(code => code === 'too_many_attempts')).toHaveLength(3);
    await expect(enter(id, lastCode())).rejects.toMatchObject({ code: 'too_many_attempts' });
    await add();
    await expect(enter(id, lastCode())).resolves.toMatchObject({ status: 'verified' });
  });

  it('is invalid once a newer one was sent', async () => {
    const { id } = await add();
    const old = lastCode();
    await add();
    if (lastCode() !== old) await expect(enter(id, old)).rejects.toMatchObject({ code: 'code_wrong' });
    await expect(enter(id, lastCode())).resolves.toMatchObject({ status: 'verified' });
  });

  it('is not stored in the database', async () => {
    await add();
    const { rows } = await fixture.pool.query<{ code_hash: string }>(
      `SELECT data->>'code_hash' AS code_hash FROM event_store.events WHERE data->>'address' = $1`,
      [address],
    );
    expect(rows).toEqual([{ code_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(rows[0]!.code_hash).not.toBe(createHash('sha256').update(lastCode()).digest('hex'));
  });

  it('is mailed at most five times an hour to one address', async () => {
    for (let mailed = 0; mailed < 5; mailed++) await add();
    await expect(add()).rejects.toMatchObject({
      code: 'too_many_codes',
      details: { retry_after_s: expect.any(Number) },
    });
    expect(mailsTo(address)).toHaveLength(5);
  });

  it('is mailed at most twenty times an hour by one service, over all replicas', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        call(addVerifiedRecipient, { ...owner, address: `many${index}.${address}` }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const refused = results.filter(result => result.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(4).fill('too_many_codes'));
  });

  it('is mailed at most five times an hour to one mailbox, by all services and under all spellings', async () => {
    const victim = (spelling: number) => `victim${count}+${spelling}@example.com`;
    const results: PromiseSettledResult<unknown>[] = [];
    for (let service = 0; service < 4; service++) {
      const workspace_id = uuidv7();
      const { id: service_id } = await call(createEmailService, { workspace_id, name: 'App' });
      const mails = [1, 2].map(spelling =>
        call(addVerifiedRecipient, { workspace_id, service_id, address: victim(service * 2 + spelling) }),
      );
      results.push(...(await Promise.allSettled(mails)));
    }
    expect(codesOf(results)).toEqual(Array(3).fill('too_many_codes'));
    expect([1, 2, 3, 4, 5, 6, 7, 8].flatMap(spelling => mailsTo(victim(spelling)))).toHaveLength(5);
  });

  it('is mailed at most twenty times an hour by one workspace, by all its services', async () => {
    const { workspace_id } = owner;
    const services = await Promise.all(
      ['One', 'Two', 'Three'].map(name => call(createEmailService, { workspace_id, name })),
    );
    const results = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        call(addVerifiedRecipient, {
          workspace_id,
          service_id: services[index % 3]!.id,
          address: `spread${index}.${address}`,
        }),
      ),
    );
    expect(codesOf(results)).toEqual(Array(4).fill('too_many_codes'));
  });

  it('is mailed with the name of the service, without links, and with no other tenant-controlled text', async () => {
    const name = 'Your bank account is locked - visit https://evil.test/1 now';
    const service = await call(createEmailService, { workspace_id: owner.workspace_id, name });
    await call(addVerifiedRecipient, { ...owner, service_id: service.id, address });
    const { headers, text } = mailOf(address);
    expect(text).not.toContain('evil');
    expect([...new Set(text.match(/https?:[^\s"<]*/g))]).toEqual([
      expect.stringMatching(/^https:\/\/mail\.test\/unsubscribe\/[\w-]+$/),
    ]);
    expect(headers).toContain('\r\nFrom: Postern <no-reply@sandbox.test>\r\n');
    expect(headers).toMatch(/\r\nSubject: \d{6} is your verification code\r\n/);
  });

  it('leaves no partial state when no relay accepts it', async () => {
    fixture.smtp.answer({ stage: 'mail', code: 451, text: 'later', times: 1 });
    await expect(add()).rejects.toMatchObject({ code: 'relay_unavailable' });
    await expect(call(listVerifiedRecipients, owner)).resolves.toEqual([]);
    const { rows } = await fixture.pool.query('SELECT sent FROM code_mails WHERE service_id = $1', [owner.service_id]);
    expect(rows).toEqual([{ sent: 0 }]);
    const { rows: counts } = await fixture.pool.query(`SELECT DISTINCT sent FROM code_mail_counts WHERE subject = $1`, [
      owner.workspace_id,
    ]);
    expect(counts).toEqual([{ sent: 0 }]);
    await expect(add()).resolves.toMatchObject({ status: 'awaiting_code' });
  });
});

describe('a person who refuses verification codes', () => {
  const tokenIn = (recipient: string) =>
    /^List-Unsubscribe:\s+<https:\/\/mail\.test\/unsubscribe\/([\w-]+)>\r$/m.exec(mailOf(recipient).headers)![1]!;
  const elsewhere = async (recipient: string) => {
    const workspace_id = uuidv7();
    const { id: service_id } = await call(createEmailService, { workspace_id, name: 'Other' });
    return call(addVerifiedRecipient, { workspace_id, service_id, address: recipient });
  };

  it('receives none from any service, for any spelling of the address', async () => {
    await add();
    expect(mailOf(address).headers).toContain('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    const token = tokenIn(address);
    await call(optOutOfCodes, { token });
    await call(optOutOfCodes, { token });
    await expect(add()).rejects.toMatchObject({ code: 'recipient_opted_out' });
    const other = address.replace('@', '+again@').toUpperCase();
    await expect(elsewhere(other)).rejects.toMatchObject({ code: 'recipient_opted_out' });
    expect([mailsTo(address).length, mailsTo(other.toLowerCase()).length]).toEqual([1, 0]);
  });

  it('is stored as a hash only, which stays valid after a rotation of the encryption keys', async () => {
    await add();
    await call(optOutOfCodes, { token: tokenIn(address) });
    const { rows } = await fixture.pool.query<{ mailbox_hash: string }>('SELECT mailbox_hash FROM code_opt_outs');
    expect(rows.map(row => row.mailbox_hash)).toEqual(rows.map(() => expect.stringMatching(/^[0-9a-f]{64}$/)));
    const counts = (await call(OPERATIONS['email-send'].countSealedValues, {})).counts;
    expect(counts).toContainEqual({ kind: 'mailbox_hash_keys.sealed_key', key_id: 'test', values: 1 });
  });

  it('is removed from the list by the operator only', async () => {
    await add();
    await call(optOutOfCodes, { token: tokenIn(address) });
    const { count: listed } = await call(countCodeOptOuts, {});
    await expect(call(removeCodeOptOut, { address: `Ada <${address}>` })).resolves.toEqual({ removed: true });
    await expect(call(removeCodeOptOut, { address })).resolves.toEqual({ removed: false });
    await expect(call(countCodeOptOuts, {})).resolves.toEqual({ count: listed - 1 });
    await expect(add()).resolves.toMatchObject({ status: 'awaiting_code' });
  });

  it('cannot be opted out by another person with a forged link', async () => {
    const { count: listed } = await call(countCodeOptOuts, {});
    await expect(call(optOutOfCodes, { token: 'A'.repeat(64) })).rejects.toMatchObject({ code: 'link_invalid' });
    await expect(call(countCodeOptOuts, {})).resolves.toEqual({ count: listed });
  });
});
