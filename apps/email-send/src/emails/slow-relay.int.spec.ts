import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { partlyDeferred } from '../testing/deferred-copies-fixture.js';
import { type Process, refusalOf, request, SendingFixture } from '../testing/sending-fixture.js';

/** How long requests of these tests wait for the relay. */
const REQUEST_WAITS_MS = 1_500;
const FILTERED_MS = 3_500;

let fixture: SendingFixture;
let process: Process;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  process = await fixture.process(undefined, undefined, REQUEST_WAITS_MS);
});
afterEach(() => fixture.smtp.reset());
afterAll(() => fixture.stop());

const recorded = async (serviceId: string, emailId: string) => {
  await waitFor(async () => (await process.emails.record(serviceId, emailId)) !== undefined, { timeoutMs: 10_000 });
  return process.emails.record(serviceId, emailId);
};

describe('a relay that filters a message for longer than the request may take', () => {
  it('and accepts it: the request ends with an unknown outcome, and the message is sent', async () => {
    const { keyHash, sender } = fixture.sender();
    const email_id = uuidv7();
    fixture.smtp.answer({ stage: 'data', delayMs: FILTERED_MS, times: 1 });
    const keyed = { ...request(keyHash, {}, 'slow'), email_id };
    expect(await refusalOf(process.sendEmail.execute(keyed))).toMatchObject({
      code: 'outcome_unknown',
      details: { email_id },
    });
    expect(await process.emails.isInProgress(sender.serviceId, email_id)).toBe(true);
    expect(await recorded(sender.serviceId, email_id)).toMatchObject({ status: 'sent', message: 'Sent to the relay.' });
    const repeated = await process.sendEmail.execute({ ...request(keyHash, {}, 'slow'), email_id: uuidv7() });
    expect(repeated).toMatchObject({ replayed: true, email: { id: email_id, status: 'sent' } });
    expect((await fixture.events(email_id)).map(({ type }) => type.split('.')[1])).toEqual([
      'email-accepted',
      'email-handed-over',
    ]);
    expect(fixture.smtp.messages).toHaveLength(1);
  });

  it('and refuses it: the message fails with the words of the relay', async () => {
    const { keyHash, sender } = fixture.sender();
    const email_id = uuidv7();
    fixture.smtp.answer({ stage: 'data', delayMs: FILTERED_MS, code: 554, text: '5.7.1 spam', times: 1 });
    expect(await refusalOf(process.sendEmail.execute({ ...request(keyHash), email_id }))).toMatchObject({
      code: 'outcome_unknown',
    });
    expect(await recorded(sender.serviceId, email_id)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('spam'),
    });
  });

  it('and answers within the time of the request: the request waits, although the relay is silent for long', async () => {
    const { keyHash } = fixture.sender();
    const patient = await fixture.process(undefined, undefined, 10_000);
    fixture.smtp.answer({ stage: 'data', delayMs: FILTERED_MS, times: 1 });
    expect((await patient.sendEmail.execute(request(keyHash))).email.status).toBe('sent');
  });

  it('on a retry of a deferred copy: the copy is sent, and other copies do not wait', async () => {
    const emailId = await partlyDeferred(fixture, process, { address: 'slow@x.test' });
    await fixture.pool.query(`UPDATE deferred_copies SET due_at = now() - interval '1 second'`);
    fixture.smtp.answer({ stage: 'data', delayMs: FILTERED_MS, times: 1 });
    const began = performance.now();
    await process.retryDeferred.run();
    expect(performance.now() - began).toBeLessThan(FILTERED_MS);
    await waitFor(async () => (await fixture.count('deferred_copies')) === 0, { timeoutMs: 10_000 });
    const retried = (await fixture.events(emailId)).at(-1)?.data as { outcome: { result: string } };
    expect(retried.outcome.result).toBe('accepted');
  });
});
