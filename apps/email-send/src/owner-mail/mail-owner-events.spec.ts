import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OwnerMailFacts } from '@postern/contracts';
import { NoticeLimits, SystemMail, type SystemMailAttempt } from '../system-mail/ports.js';
import { MailOwnerEvents } from './mail-owner-events.js';
import { OwnerMailer } from './owner-mailer.js';
import {
  type OwnerEvent,
  OwnerFacts,
  type OwnerMailClaim,
  OwnerMailClaims,
  type OwnerNotification,
  OwnerNotifications,
} from './ports.js';

const SERVICE = '019ca2c0-0000-7000-8000-000000000001';
const DEPLOYMENT = '019ca2c0-0000-7000-8000-000000000002';
const DATABASE = '019ca2c0-0000-7000-8000-000000000003';
const WORKSPACE = '019ca2c0-0000-7000-8000-000000000004';
const DATA = { web_service_id: SERVICE, deployment_id: DEPLOYMENT, database_id: DATABASE };
const FIELDS: Readonly<Record<OwnerEvent['type'], readonly (keyof typeof DATA)[]>> = {
  'platform-management.deployment-live.v1': ['web_service_id', 'deployment_id'],
  'platform-management.deployment-failed.v1': ['web_service_id', 'deployment_id'],
  'platform-management.web-service-unanswering.v1': ['web_service_id'],
  'platform-management.database-nearly-full.v1': ['database_id'],
};
const eventOf = (type: OwnerEvent['type'], occurredAt = new Date()): OwnerEvent =>
  ({
    id: `event-${occurredAt.getTime()}`,
    type,
    stream_id: 's',
    version: 1,
    occurred_at: occurredAt.toISOString(),
    metadata: { correlation_id: 'c' },
    data: Object.fromEntries(FIELDS[type].map(field => [field, DATA[field]])),
  }) as unknown as OwnerEvent;

class FakeFacts extends OwnerFacts {
  facts: OwnerMailFacts | undefined = {
    workspace_id: WORKSPACE,
    workspace_name: 'Staging',
    project_name: 'Demo',
    name: 'shop',
    reason: 'the build failed',
    is_live: null,
    recipients: [
      { user_id: 'ada', email: 'ada@example.com' },
      { user_id: 'bea', email: 'bea@example.com' },
    ],
  };
  override async of() {
    return this.facts;
  }
}

class FakeClaims extends OwnerMailClaims {
  readonly taken = new Set<string>();
  override async take({ userId, occurredAt }: OwnerMailClaim) {
    const key = `${userId} ${occurredAt.getTime()}`;
    if (this.taken.has(key)) return false;
    this.taken.add(key);
    return true;
  }
  override async release({ userId, occurredAt }: OwnerMailClaim) {
    this.taken.delete(`${userId} ${occurredAt.getTime()}`);
  }
}

class FakeLimits extends NoticeLimits {
  left = Number.POSITIVE_INFINITY;
  override async take() {
    return --this.left >= 0;
  }
  override async release() {
    this.left += 1;
  }
}

class FakeNotifications extends OwnerNotifications {
  readonly sent: OwnerNotification[] = [];
  isPlatformUp = true;
  override async notify(notification: OwnerNotification) {
    if (!this.isPlatformUp) throw new Error('no answer');
    this.sent.push(notification);
  }
}

class FakeMail extends SystemMail {
  readonly sent: { to: string; subject: string; text: string }[] = [];
  readonly results: SystemMailAttempt['result'][] = [];
  override async attempt(to: string, subject: string, text: string) {
    const result = this.results.shift() ?? 'accepted';
    if (result === 'accepted') this.sent.push({ to, subject, text });
    return { result, response: result };
  }
}

let facts: FakeFacts;
let limits: FakeLimits;
let mail: FakeMail;
let handler: MailOwnerEvents;
/** By the clock of PostgreSQL. */
let databaseTime: Date;
let notifications: FakeNotifications;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, plain: () => {} };
beforeEach(() => {
  facts = new FakeFacts();
  mail = new FakeMail();
  limits = new FakeLimits();
  databaseTime = new Date();
  notifications = new FakeNotifications();
  handler = new MailOwnerEvents(
    facts,
    new OwnerMailer(new FakeClaims(), limits, mail, silent, { now: () => databaseTime }),
    silent,
    { now: () => databaseTime },
    {
      publicUrl: 'https://postern.example/',
    },
    notifications,
  );
});
const linksIn = (text: string) => text.match(/\S+:\/\/\S+/g);
const ACCOUNT = 'https://postern.example/dashboard/account';

describe('mail about failures', () => {
  it.each([
    [
      'platform-management.deployment-failed.v1',
      'Deployment failed: shop',
      `/web-services/${SERVICE}/deployments/${DEPLOYMENT}`,
    ],
    [
      'platform-management.web-service-unanswering.v1',
      'Web service does not respond: shop',
      `/web-services/${SERVICE}/logs`,
    ],
  ] as const)('about %s names what failed and why, with a link to the page', async (type, subject, page) => {
    await handler.onEvents([eventOf(type)]);
    expect(mail.sent.map(({ to }) => to)).toEqual(['ada@example.com', 'bea@example.com']);
    const [{ text } = { text: '' }] = mail.sent;
    expect(mail.sent[0]).toMatchObject({ subject });
    for (const line of ['Workspace: Staging', 'Project: Demo', 'Web service: shop', 'Reason: the build failed'])
      expect(text).toContain(`\n${line}\n`);
    expect(linksIn(text)).toEqual([`https://postern.example/dashboard${page}`, ACCOUNT]);
  });

  it('about a database names no project and no reason', async () => {
    facts.facts = { ...facts.facts!, project_name: null, name: 'orders', reason: null };
    await handler.onEvents([eventOf('platform-management.database-nearly-full.v1')]);
    const [{ text } = { text: '' }] = mail.sent;
    expect(mail.sent[0]).toMatchObject({ subject: 'Database nearly full: orders' });
    expect(text).toContain('\nDatabase: orders\n');
    expect(text).not.toMatch(/Reason|Project/);
    expect(linksIn(text)).toEqual([`https://postern.example/dashboard/databases/${DATABASE}`, ACCOUNT]);
  });

  it('contains no tenant-controlled text that a mail client turns into a link', async () => {
    const chosen = 'see https://evil.example/a?b=1, call 0900 1234-567 or mail eve@evil.example\nBcc: eve@evil.example';
    facts.facts = { ...facts.facts!, name: `shop ${chosen}`, reason: chosen };
    await handler.onEvents([eventOf('platform-management.deployment-failed.v1')]);
    const [{ subject, text } = { subject: '', text: '' }] = mail.sent;
    expect(subject + text).not.toMatch(/evil\.example|Bcc|eve@|0900 1/);
    expect(linksIn(text)).toHaveLength(2);
  });

  it('quotes at most 200 characters of a reason', async () => {
    facts.facts = { ...facts.facts!, reason: 'a b.c '.repeat(200) };
    await handler.onEvents([eventOf('platform-management.deployment-failed.v1')]);
    const [reason] = /(?<=Reason: ).*/.exec(mail.sent[0]!.text)!;
    expect(reason.length).toBeLessThanOrEqual(200);
  });

  it('is not sent to an owner who had too many', async () => {
    limits.left = 1;
    await handler.onEvents([eventOf('platform-management.deployment-failed.v1')]);
    expect(mail.sent.map(({ to }) => to)).toEqual(['ada@example.com']);
  });

  it('is not sent about deleted resources or events older than a day', async () => {
    const type = 'platform-management.deployment-failed.v1';
    await handler.onEvents([eventOf(type, new Date(Date.now() - 25 * 3_600_000))]);
    const event = eventOf(type);
    databaseTime = new Date(Date.now() + 25 * 3_600_000);
    await handler.onEvents([event]);
    databaseTime = new Date();
    facts.facts = undefined;
    await handler.onEvents([eventOf(type)]);
    expect(mail.sent).toEqual([]);
  });

  it('waits for a relay, and is not sent again to owners who have received it', async () => {
    const event = eventOf('platform-management.deployment-failed.v1');
    mail.results.push('not_sent');
    await expect(handler.onEvents([event])).rejects.toThrow('not_sent');
    await handler.onEvents([event]);
    await handler.onEvents([event]);
    expect(mail.sent.map(({ to }) => to)).toEqual(['bea@example.com', 'ada@example.com']);
  });

  it.each(['refused', 'unknown'] as const)('is sent once when the outcome is %s', async result => {
    const event = eventOf('platform-management.deployment-failed.v1');
    mail.results.push(result);
    await handler.onEvents([event]);
    await handler.onEvents([event]);
    expect(mail.sent.map(({ to }) => to)).toEqual(['bea@example.com']);
  });
});

describe('notifications', () => {
  it.each([
    ['platform-management.deployment-live.v1', 'deployment_live', 'Deployment live: a.b/c', 'web_service', SERVICE],
    [
      'platform-management.deployment-failed.v1',
      'deployment_failed',
      'Deployment failed: a.b/c',
      'web_service',
      SERVICE,
    ],
    [
      'platform-management.web-service-unanswering.v1',
      'web_service_failed',
      'Web service does not respond: a.b/c',
      'web_service',
      SERVICE,
    ],
    [
      'platform-management.database-nearly-full.v1',
      'database_nearly_full',
      'Database nearly full: a.b/c',
      'database',
      DATABASE,
    ],
  ] as const)('about %s have names and reasons as they are', async (type, event, summary, resource, id) => {
    facts.facts = { ...facts.facts!, name: 'a.b/c', reason: 'exit code 1: see https://ci.example/1' };
    const about = eventOf(type);
    await handler.onEvents([about]);
    expect(notifications.sent).toEqual([
      {
        id: about.id,
        event,
        timestamp: about.occurred_at,
        workspace_id: WORKSPACE,
        resource: { type: resource, id, name: 'a.b/c' },
        summary,
        text: expect.stringMatching(/Reason: exit code 1: see https:\/\/ci\.example\/1$/),
        url: expect.stringMatching(/^https:\/\/postern\.example\/dashboard\//),
      },
    ]);
  });

  it('are all there is about a deployment that is live', async () => {
    await handler.onEvents([eventOf('platform-management.deployment-live.v1')]);
    expect([notifications.sent.length, mail.sent]).toEqual([1, []]);
  });

  it('do not depend on mail, and mail does not depend on them', async () => {
    const event = eventOf('platform-management.deployment-failed.v1');
    notifications.isPlatformUp = false;
    await expect(handler.onEvents([event])).rejects.toThrow('no answer');
    await handler.onEvents([event]).catch(() => undefined);
    expect(mail.sent).toHaveLength(2);
    notifications.isPlatformUp = true;
    facts.facts = { ...facts.facts!, recipients: [] };
    await handler.onEvents([event]);
    expect(notifications.sent).toHaveLength(1);
  });
});
