import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTestMail } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const send = () => fixture.client.request(sendTestMail, { actor_id: uuidv7(), address: 'owner@example.com' });

describe('A test message', () => {
  it('goes through the relay from the sandbox domain, and returns the response of the relay', async () => {
    expect(await send()).toEqual({
      to: 'owner@example.com',
      result: 'accepted',
      response: expect.stringMatching(/^250 /),
    });
    const { from, raw } = await fixture.smtp.nextMessage(({ to }) => to[0]?.address === 'owner@example.com');
    expect(from).toBe('no-reply@sandbox.test');
    expect(raw.toString()).toMatch(/^Subject: Test message\r$/m);
  });

  it('that the relay refuses returns its reason, and is no failure of the request', async () => {
    fixture.smtp.answer({ stage: 'rcpt', code: 550, text: '5.7.1 blocked', times: 1 });
    expect(await send()).toMatchObject({ result: 'refused', response: expect.stringContaining('blocked') });
  });
});
