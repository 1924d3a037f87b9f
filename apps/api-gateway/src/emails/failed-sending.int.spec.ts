import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Refusal, sendEmail } from '@postern/contracts';
import { TemporarilyUnavailable, withoutEffect } from '@postern/messaging';
import { acceptEmails, ID, postEmail, RATE_LIMIT, RECORD, refused } from '../testing/email-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';

const MAYBE = { maybeExecuted: true };

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway({ POSTERN_ANSWER_WITHIN_MS: '5000' });
});
afterAll(() => gateway.stop());
beforeEach(() => acceptEmails(gateway.services));

const post = () => postEmail(gateway);

describe('POST /emails without confirmation that the email was sent', () => {
  it('responds with 503 and Retry-After if no relay is reachable', async () => {
    gateway.services.on(sendEmail, refused(new Refusal('relay_unavailable', 'No relay answers.')));
    expect(await post()).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
  });

  it('responds with 500 without the cause if email-send fails with an internal error and had no effect', async () => {
    gateway.services.on(sendEmail, () => {
      throw withoutEffect(new Error('secret cause'));
    });
    const answer = await post();
    expect(answer).toMatchObject({ status: 500, body: { error: expect.not.stringContaining('secret') } });
    expect(answer.headers['email-id']).toBeUndefined();
    expect(gateway.services.requestsOf(sendEmail)).toHaveLength(1);
  });

  describe('if email-send fails and may have had an effect', () => {
    const temporarily = (maybeExecuted: boolean) => () => {
      throw new TemporarilyUnavailable('away', { maybeExecuted });
    };

    it('retries with the same id and returns the record', async () => {
      gateway.services.on(sendEmail, () => {
        if (gateway.services.requestsOf(sendEmail).length < 3) throw new TemporarilyUnavailable('away', MAYBE);
        return { email: RECORD, rate_limit: RATE_LIMIT, replayed: false };
      });
      expect(await post()).toMatchObject({ status: 200, body: RECORD });
      const requests = gateway.services.requestsOf(sendEmail);
      expect(requests).toHaveLength(3);
      expect(new Set(requests.map(({ email_id }) => email_id)).size).toBe(1);
    });

    it('responds with 503 at the deadline, with the id and how to check the outcome', async () => {
      gateway.services.on(sendEmail, temporarily(true));
      const { status, headers, body } = await post();
      const email_id = gateway.services.requestsOf(sendEmail)[0]?.email_id;
      expect({ status, body }).toEqual({
        status: 503,
        body: { error: expect.stringMatching(new RegExp(`outcome .* unknown.*GET /emails/${email_id}`)) },
      });
      expect(headers).toMatchObject({
        'email-id': email_id,
        'retry-after': expect.stringMatching(/^\d+$/),
        'error-code': 'outcome_unknown',
      });
    });

    it('responds with 500 and the id at the deadline after an internal error', async () => {
      gateway.services.on(sendEmail, () => {
        throw new Error('secret cause');
      });
      const answer = await post();
      expect(answer).toMatchObject({ status: 500, body: { error: expect.not.stringContaining('secret') } });
      expect(answer.headers['email-id']).toBe(gateway.services.requestsOf(sendEmail)[0]?.email_id);
    });

    it('does not return a refusal that may change with the next attempt', async () => {
      gateway.services.on(sendEmail, () => {
        if (gateway.services.requestsOf(sendEmail).length === 1) throw new TemporarilyUnavailable('away', MAYBE);
        throw new Refusal('minute_limit_reached', 'Too many in this minute.', { retry_after_s: 17 });
      });
      const answer = await post();
      expect([answer.status, answer.headers['email-id']]).toEqual([503, expect.any(String)]);
    });

    it('ends once email-send reports that nothing was sent', async () => {
      gateway.services.on(sendEmail, () => {
        if (gateway.services.requestsOf(sendEmail).length === 1) throw new TemporarilyUnavailable('away', MAYBE);
        throw new Refusal('relay_unavailable', 'No relay answers.');
      });
      const answer = await post();
      expect([answer.status, answer.headers['email-id']]).toEqual([503, undefined]);
    });
  });

  it('responds with 503 without an id immediately if there was no effect', async () => {
    gateway.services.on(sendEmail, () => {
      throw new TemporarilyUnavailable('away', { maybeExecuted: false, retryAfterS: 3 });
    });
    const answer = await post();
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '3' } });
    expect(answer.headers['email-id']).toBeUndefined();
    expect(gateway.services.requestsOf(sendEmail)).toHaveLength(1);
  });

  it('returns the id of the earlier message whose outcome is unknown', async () => {
    gateway.services.on(
      sendEmail,
      refused(new Refusal('outcome_unknown', 'Unknown.', { email_id: ID, retry_after_s: 2 })),
    );
    expect((await post()).headers['email-id']).toBe(ID);
  });
});
