import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportEmails, getEmailService, type TrackedEmail } from '@postern/contracts';
import { callDashboard, knowSession } from '../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { replyOf } from '../testing/replies.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const PATH = `/email-services/${ID}/emails-export`;
const RECIPIENT = { index: 0, role: 'to' as const, state: 'delivered' as const, opened_at: null, clicked_at: null };
const email = (subject: string): TrackedEmail => ({
  id: ID,
  status: 'sent',
  mode: 'production',
  from: 'Shop <orders@example.com>',
  subject,
  recipients: [
    { ...RECIPIENT, address: 'ada@example.net', reason: null },
    { ...RECIPIENT, address: 'bob@example.net', reason: '550 "no", sorry' },
  ],
  tags: { campaign: 'spring' },
  message_id: '1@example.com',
  accepted_at: '2030-01-02T03:04:05.000Z',
});

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('The export of messages', () => {
  it('is a CSV file of all steps, with a line for each recipient, and without formulas', async () => {
    knowSession(gateway.services);
    gateway.services.on(getEmailService, () => replyOf(getEmailService) as never);
    gateway.services.on(exportEmails, ({ after }) =>
      after === null ? { emails: [email('=1+1')], after: 'next' } : { emails: [email('Receipt')], after: null },
    );
    const { status, headers, text } = await callDashboard(
      gateway,
      'GET',
      `${PATH}?tag=campaign:spring&state=delivered`,
    );
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(text.split('\r\n')).toEqual([
      'email_id,accepted_at,mode,from,subject,to,role,state,reason,opened_at,clicked_at,tags,message_id',
      ...["'=1+1", 'Receipt'].flatMap(subject =>
        [
          ['ada@example.net', ''],
          ['bob@example.net', '"550 ""no"", sorry"'],
        ].map(
          ([address, reason]) =>
            `${ID},2030-01-02T03:04:05.000Z,production,Shop <orders@example.com>,${subject},${address},to,delivered,${reason},,,"{""campaign"":""spring""}",1@example.com`,
        ),
      ),
      '',
    ]);
    expect(gateway.services.requestsOf(exportEmails)).toMatchObject([
      { service_id: ID, tag: 'campaign:spring', state: 'delivered', after: null },
      { after: 'next' },
    ]);
  });

  it.each(['tag=spring', 'state=lost', 'limit=5', 'from=yesterday'])('is refused for the filter %s', async query => {
    knowSession(gateway.services);
    gateway.services.on(getEmailService, () => replyOf(getEmailService) as never);
    expect((await callDashboard(gateway, 'GET', `${PATH}?${query}`)).status).toBe(400);
  });
});
