import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createEmailService,
  getWorkspaceOwners,
  listPlatformProblems,
  listSenderProblems,
  listStatusMails,
  listWebhookProblems,
  mailAboutLogDrain,
  mailAboutWebhook,
  type Notification,
  notifyWorkspace,
  type Problem,
} from '@postern/contracts';
import { PosternServer, silentLog } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';
import { MailWorkspaceStatus } from './mail-workspace-status.js';

const WEB_SERVICE = uuidv7();
const PROBLEM: Problem = {
  kind: 'deployment_failed',
  severity: 'error',
  message: 'The last deployment of “shop” failed: see evil.example.',
  fix: 'Read the log, and deploy again.',
  page: `/web-services/${WEB_SERVICE}`,
  resource: { type: 'web_service', id: WEB_SERVICE, name: 'shop' },
  since: '2030-01-02T03:04:05.000Z',
};

let fixture: AdministrationFixture;
const servers: PosternServer[] = [];
let workspaceId: string;
let recipients: { user_id: string; email: string }[];
let problems: Problem[];
let isPlatformUp = true;
const notifications: Notification[] = [];

beforeAll(async () => {
  fixture = await AdministrationFixture.start();
  const server = (service: 'platform-management' | 'webhook-dispatch' | 'delivery-tracking') => {
    const started = new PosternServer({ link: fixture.link, service, log: silentLog });
    servers.push(started);
    return started;
  };
  const platform = server('platform-management');
  platform.handle(listStatusMails, async request => ({
    workspaces:
      (request as { after: string | null }).after === null ? [{ id: workspaceId, name: 'Staging', recipients }] : [],
  }));
  platform.handle(notifyWorkspace, async request => {
    notifications.push(request as Notification);
    return {};
  });
  platform.handle(getWorkspaceOwners, async () => ({ recipients }));
  platform.handle(listPlatformProblems, async () => {
    if (!isPlatformUp) throw new Error('the database is not available');
    return { problems };
  });
  server('webhook-dispatch').handle(listWebhookProblems, async () => ({ problems: [] }));
  server('delivery-tracking').handle(listSenderProblems, async () => ({ problems: [] }));
  for (const each of servers) each.listen();
}, 60_000);
afterAll(async () => {
  for (const each of servers) await each.close();
  await fixture?.stop();
});
beforeEach(() => {
  workspaceId = uuidv7();
  recipients = [{ user_id: uuidv7(), email: `owner-${uuidv7()}@example.com` }];
  problems = [PROBLEM];
  isPlatformUp = true;
  notifications.length = 0;
});

const at = (hour: number, day = 2) => new Date(Date.UTC(2031, 0, day, hour));
/** Runs the job in both replicas, as after a change of the leader or a restart. */
const run = (now: Date) =>
  Promise.all(
    fixture.replicas.map(({ app }) => app.get(MailWorkspaceStatus).run({ now, signal: new AbortController().signal })),
  );
const mailsTo = (address = recipients[0]?.email) =>
  fixture.smtp.messages.filter(({ to }) => to.some(({ address: of }) => of === address));
const textOf = (address?: string) => mailsTo(address)[0]?.raw.toString().replace(/=\r\n/g, '') ?? '';

describe('The daily mail', () => {
  it('tells each owner once what needs somebody, with its fix and its page', async () => {
    await run(at(7));
    await run(at(8));
    expect(mailsTo()).toHaveLength(1);
    const text = textOf();
    expect(text).toContain('Subject: 1 thing needs you: Staging');
    expect(text).toContain('Read the log, and deploy again.');
    expect(text).toContain(`https://mail.test/dashboard/web-services/${WEB_SERVICE}`);
    expect(text).toContain('https://mail.test/dashboard/account');
    expect(text).not.toContain('evil.example');
  });

  it('is sent again on the next day', async () => {
    await run(at(7, 3));
    await fixture.pool.query(
      "UPDATE owner_mails SET claimed_at = claimed_at - interval '1 day' WHERE resource_id = $1",
      [workspaceId],
    );
    await run(at(7, 4));
    expect(mailsTo()).toHaveLength(2);
  });

  it('is not sent before seven, or when nothing needs somebody', async () => {
    await run(at(6, 5));
    expect(mailsTo()).toHaveLength(0);
    problems = [];
    await run(at(7, 5));
    problems = [PROBLEM];
    await run(at(9, 5));
    expect(mailsTo()).toHaveLength(0);
  });

  it('waits for a part that does not respond and for a relay', async () => {
    problems = [];
    isPlatformUp = false;
    await run(at(7, 6));
    problems = [PROBLEM];
    isPlatformUp = true;
    fixture.smtp.answer({ stage: 'mail', code: 451, text: 'later', times: 1 });
    await run(at(8, 6));
    await run(at(9, 6));
    expect(mailsTo()).toHaveLength(1);
  });
});

describe('Mail about a webhook', () => {
  it('is sent once for each state of an episode', async () => {
    const { id: service_id } = await fixture.client.request(createEmailService, {
      workspace_id: workspaceId,
      name: 'Orders',
    });
    const about = {
      service_id,
      webhook_id: uuidv7(),
      url: 'https://hooks.evil.example/x',
      since: '2031-01-02T03:04:05.000Z',
      answer: 'status 503',
    };
    for (const state of ['failing', 'failing', 'recovered', 'recovered'] as const)
      await fixture.client.request(mailAboutWebhook, { ...about, state });
    const subjects = mailsTo().map(({ raw }) => /^Subject: (.*)$/m.exec(raw.toString())?.[1]?.trim());
    expect(subjects).toEqual(['Webhook fails: Orders', 'Webhook works again: Orders']);
    expect(notifications.map(({ event, text }) => [event, /Last answer: .*/.exec(text)?.[0]])).toEqual([
      ['webhook_failing', 'Last answer: status 503'],
      ['webhook_failing', 'Last answer: status 503'],
      ['webhook_recovered', undefined],
      ['webhook_recovered', undefined],
    ]);
    expect(new Set(notifications.map(({ id }) => id)).size).toBe(2);
    expect(textOf()).toContain('Last answer: status 503');
    expect(textOf()).toContain(`https://mail.test/dashboard/services/${service_id}/webhooks/${about.webhook_id}`);
    expect(textOf()).not.toContain('hooks.evil.example');
  });

  it('is not sent about a deleted email service', async () => {
    await fixture.client.request(mailAboutWebhook, {
      service_id: uuidv7(),
      webhook_id: uuidv7(),
      url: 'https://example.com',
      state: 'failing',
      since: '2031-01-02T03:04:05.000Z',
      answer: null,
    });
    expect(mailsTo()).toHaveLength(0);
  });
});

describe('Mail about a log drain', () => {
  it('is sent once for each state of an episode, without a link of a tenant', async () => {
    const about = {
      workspace_id: workspaceId,
      web_service_id: WEB_SERVICE,
      web_service_name: 'shop www.evil.example',
      log_drain_id: uuidv7(),
      url: 'https://logs.evil.example/in',
      since: '2031-01-02T03:04:05.000Z',
      error: 'HTTP 503: see evil.example',
    };
    for (const state of ['failing', 'failing', 'disabled', 'disabled'] as const)
      await fixture.client.request(mailAboutLogDrain, { ...about, state });
    const subjects = mailsTo().map(({ raw }) => /^Subject: (.*)$/m.exec(raw.toString())?.[1]?.trim());
    expect(subjects).toEqual(['Log drain fails: shop www evil example', 'Log drain disabled: shop www evil example']);
    expect(new Set(notifications.map(({ id, event }) => `${event} ${id}`)).size).toBe(2);
    expect(notifications[0]).toMatchObject({ summary: `Log drain fails: ${about.web_service_name}` });
    expect(textOf()).toContain('Last error: HTTP 503: see evil. example');
    expect(textOf()).toContain(`https://mail.test/dashboard/web-services/${WEB_SERVICE}/settings`);
    expect(textOf()).not.toContain('evil.example');
  });
});
