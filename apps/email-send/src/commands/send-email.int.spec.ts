import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Process, refusalOf, request, SendingFixture, TRACKING } from '../testing/sending-fixture.js';

let fixture: SendingFixture;
let process: Process;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  process = await fixture.process();
});
afterEach(() => fixture.smtp.reset());
afterAll(() => fixture.stop());

const send = (...args: Parameters<typeof request>) => process.sendEmail.execute(request(...args));

describe('a production message', () => {
  it('is handed over, and answered with the record and the standing of the limits', async () => {
    const { keyHash } = fixture.sender({ dailyLimit: 10 });
    const reply = await send(keyHash, { to: ['Ada <ada@x.test>'], cc: ['bob@x.test'] });
    expect(reply).toEqual({
      email: {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        status: 'sent',
        mode: 'production',
        from: 'Shop <shop@example.com>',
        to: ['ada@x.test'],
        message: 'Handed over for delivery to 2 recipients.',
      },
      rate_limit: { limit: 10, remaining: 9, reset_s: expect.any(Number) },
      replayed: false,
    });
  });

  it('reaches each recipient on a return path of its own, shows to and cc to all, and bcc to nobody', async () => {
    const { keyHash } = fixture.sender();
    const { email } = await send(keyHash, { to: ['ada@x.test'], cc: ['bob@x.test'], bcc: ['eve@x.test'] });
    const messages = await Promise.all(
      ['ada@x.test', 'bob@x.test', 'eve@x.test'].map(address =>
        fixture.smtp.nextMessage(({ to }) => to.some(recipient => recipient.address === address)),
      ),
    );
    expect(messages.map(({ from }) => TRACKING.readReturnPathToken(from.split('@')[0]!))).toEqual(
      [0, 1, 2].map(recipientIndex => ({ emailId: email.id, recipientIndex })),
    );
    for (const { raw, to, envid } of messages) {
      expect(raw.toString()).toMatch(/^To: ada@x\.test\r\nCc: bob@x\.test\r\n/m);
      expect(raw.toString()).not.toContain('eve@x.test');
      expect(raw.toString()).toMatch(/^DKIM-Signature: .*d=example\.com/m);
      expect(to[0]).toMatchObject({ notify: ['SUCCESS', 'FAILURE', 'DELAY'] });
      expect(envid).toContain(email.id);
    }
  });

  it('is recorded as accepted and handed over, with its body outside the events', async () => {
    const { keyHash } = fixture.sender();
    const { email } = await send(keyHash, { text: 'A secret code: 123456' });
    const events = await fixture.events(email.id);
    expect(events.map(({ type }) => type)).toEqual(['email-send.email-accepted.v1', 'email-send.email-handed-over.v1']);
    expect(JSON.stringify(events)).not.toContain('123456');
    expect(await fixture.count('emails_in_flight')).toBe(0);
  });
});
