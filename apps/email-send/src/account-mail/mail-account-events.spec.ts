import { beforeEach, describe, expect, it } from '@jest/globals';
import { Refusal } from '@postern/contracts';
import { OptOutLinks } from '../code-opt-outs/ports.js';
import { type LimitedNotice, NoticeLimits, SystemMail } from '../system-mail/ports.js';
import { MailAccountEvents } from './mail-account-events.js';
import { type AccountEvent, AccountFacts } from './ports.js';

const AT = '2026-01-02T03:04:05.678Z';
const USER = '019ca2c0-0000-7000-8000-000000000001';
const WORKSPACE = '019ca2c0-0000-7000-8000-000000000002';
const TOKEN = 'a'.repeat(43);

let events = 0;
const eventOf = (type: AccountEvent['type'], data: object = {}): AccountEvent =>
  ({
    id: `event-${++events}`,
    type,
    stream_id: 's',
    version: 1,
    occurred_at: AT,
    metadata: { correlation_id: 'c' },
    data: { user_id: USER, workspace_id: WORKSPACE, at: AT, ...data },
  }) as unknown as AccountEvent;

class FakeFacts extends AccountFacts {
  workspaceName: string | null = 'Shop';
  hasAccount = false;
  invitedBy = 'ada@example.com';
  role: 'owner' | 'viewer' = 'viewer';
  reset: { email: string; token: string } | null = { email: 'ada@example.com', token: TOKEN };
  override async ofUser(userId: string) {
    return { email: userId === USER ? 'ada@example.com' : null, workspaceName: this.workspaceName };
  }
  override async passwordReset() {
    return this.reset;
  }
  override async invitation() {
    const { workspaceName, hasAccount, invitedBy, role } = this;
    return { email: 'bea@example.com', token: TOKEN, workspaceName: workspaceName ?? '', hasAccount, invitedBy, role };
  }
}

class FakeMail extends SystemMail {
  readonly sent: { to: string; subject: string; text: string }[] = [];
  readonly failures: Error[] = [];
  override async attempt(to: string, subject: string, text: string) {
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.sent.push({ to, subject, text });
    return { result: 'accepted', response: '250 ok' } as const;
  }
}

/** Allows two notices of each kind to each address. */
class FakeLimits extends NoticeLimits {
  readonly #counts = new Map<string, number>();
  override async take({ address, kind }: LimitedNotice) {
    const count = this.#counts.get(`${address} ${kind}`) ?? 0;
    this.#counts.set(`${address} ${kind}`, count + 1);
    return count < 2;
  }
  override async release({ address, kind }: LimitedNotice) {
    this.#counts.set(`${address} ${kind}`, this.#counts.get(`${address} ${kind}`)! - 1);
  }
}

class FakeOptOuts extends OptOutLinks {
  readonly addresses = new Set<string>();
  override async urlFor(address: string) {
    return this.addresses.has(address) ? undefined : UNSUBSCRIBE;
  }
}

const UNSUBSCRIBE = 'https://mail.example/unsubscribe/t';
let optOuts: FakeOptOuts;
let facts: FakeFacts;
let mail: FakeMail;
let handler: MailAccountEvents;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, plain: () => {} };
beforeEach(() => {
  facts = new FakeFacts();
  mail = new FakeMail();
  optOuts = new FakeOptOuts();
  const config = { publicUrl: 'https://postern.example/' };
  handler = new MailAccountEvents(facts, mail, new FakeLimits(), optOuts, silent, { now: () => new Date() }, config);
});
const linksIn = (text: string) => text.match(/https?:\S+/g);

describe('mail about an account', () => {
  it.each([
    ['platform-management.password-changed.v1', 'Your password was changed'],
    ['platform-management.user-disabled.v1', 'Your account was disabled'],
    ['platform-management.signed-in-from-new-device.v1', 'New sign-in to your account'],
    ['platform-management.second-factor-enabled.v1', 'Two-factor authentication turned on'],
    ['platform-management.second-factor-disabled.v1', 'Two-factor authentication turned off'],
    ['platform-management.recovery-code-used.v1', 'A recovery code was used'],
    ['platform-management.recovery-codes-renewed.v1', 'Your recovery codes were replaced'],
    ['platform-management.platform-key-created.v1', 'A platform key was created'],
    ['platform-management.member-added.v1', 'You joined a workspace'],
    ['platform-management.member-removed.v1', 'You no longer belong to a workspace'],
  ] as const)('about %s goes to the user, with a link to the dashboard only', async (type, subject) => {
    await handler.onEvents([eventOf(type, { role: 'viewer', device: null })]);
    expect(mail.sent).toMatchObject([{ to: 'ada@example.com', subject }]);
    expect(linksIn(mail.sent[0]!.text)).toEqual(['https://postern.example/dashboard']);
    expect(mail.sent[0]!.text).toContain('2026-01-02 03:04 UTC');
  });

  it('contains no tenant-controlled text except a plain name', async () => {
    facts.workspaceName = 'Click https://evil.example/?a=1 now\r\nBcc: eve@example.com';
    await handler.onEvents([
      eventOf('platform-management.member-added.v1', { role: 'owner' }),
      eventOf('platform-management.member-invited.v1', { invitation_id: 'i' }),
    ]);
    for (const { text } of mail.sent) {
      expect(text).not.toContain('evil.example');
      expect(text).not.toContain('eve@example.com');
      expect(linksIn(text)?.every(link => link.startsWith('https://postern.example/') || link === UNSUBSCRIBE)).toBe(
        true,
      );
    }
  });

  it('has the token of a new password and of an invitation in the fragment of the link', async () => {
    await handler.onEvents([
      eventOf('platform-management.password-reset-requested.v1', { request_id: 'r' }),
      eventOf('platform-management.member-invited.v1', { invitation_id: 'i' }),
    ]);
    expect(mail.sent.map(({ to, text }) => [to, linksIn(text)])).toEqual([
      ['ada@example.com', [`https://postern.example/dashboard/password-reset#${TOKEN}`]],
      ['bea@example.com', [`https://postern.example/dashboard/invitation#${TOKEN}`, UNSUBSCRIBE]],
    ]);
  });

  it('about an invitation of a user leads to the dashboard, and contains no token', async () => {
    facts.hasAccount = true;
    await handler.onEvents([eventOf('platform-management.member-invited.v1', { invitation_id: 'i' })]);
    const [{ subject, text } = { subject: '', text: '' }] = mail.sent;
    expect(subject).toBe('Invitation to a workspace');
    expect(linksIn(text)).toEqual(['https://postern.example/dashboard/invitations', UNSUBSCRIBE]);
    expect(text).not.toContain(TOKEN);
  });

  it.each([
    [
      'ada@example.com',
      'owner',
      'ada@example.com invites you to the workspace "Shop" at postern.example, as an owner.',
    ],
    [
      'ada@example.com',
      'viewer',
      'ada@example.com invites you to the workspace "Shop" at postern.example, as a viewer.',
    ],
    [
      'https://evil.example/@x.example',
      'owner',
      'You are invited to the workspace "Shop" at postern.example, as an owner.',
    ],
  ] as const)(
    'about an invitation of %s as %s says who invites, to what and where',
    async (invitedBy, role, sentence) => {
      Object.assign(facts, { invitedBy, role });
      await handler.onEvents([eventOf('platform-management.member-invited.v1', { invitation_id: 'i' })]);
      expect(mail.sent[0]?.text).toContain(sentence);
      expect(mail.sent[0]?.text).not.toContain('evil');
    },
  );

  it('about an invitation is not sent to a mailbox whose owner refuses invitations', async () => {
    optOuts.addresses.add('bea@example.com');
    await handler.onEvents([eventOf('platform-management.member-invited.v1', { invitation_id: 'i' })]);
    expect(mail.sent).toEqual([]);
  });

  it('is limited for each mailbox and kind, and an event that waits for a relay does not count', async () => {
    const removed = () => eventOf('platform-management.member-removed.v1');
    const first = removed();
    mail.failures.push(new Refusal('relay_unavailable', 'no relay', { retry_after_s: 5 }));
    await expect(handler.onEvents([first])).rejects.toThrow('no relay');
    await handler.onEvents([first, removed(), removed(), removed()]);
    expect(mail.sent).toHaveLength(2);
    await handler.onEvents([eventOf('platform-management.password-changed.v1')]);
    expect(mail.sent).toHaveLength(3);
  });

  it('is not sent when there is no recipient', async () => {
    facts.reset = null;
    await handler.onEvents([
      eventOf('platform-management.password-reset-requested.v1', { request_id: 'r' }),
      eventOf('platform-management.password-changed.v1', { user_id: WORKSPACE }),
    ]);
    expect(mail.sent).toEqual([]);
  });

  it('waits for a relay, and mail that was already sent is not sent again', async () => {
    const batch = [eventOf('platform-management.password-changed.v1'), eventOf('platform-management.user-disabled.v1')];
    await handler.onEvents(batch.slice(0, 1));
    mail.failures.push(new Refusal('relay_unavailable', 'no relay', { retry_after_s: 5 }));
    await expect(handler.onEvents(batch)).rejects.toThrow('no relay');
    await handler.onEvents(batch);
    expect(mail.sent).toHaveLength(2);
  });

  it('is dropped when the relay rejects it permanently', async () => {
    mail.failures.push(new Refusal('relay_unavailable', '550 no such user', {}));
    await handler.onEvents([eventOf('platform-management.password-changed.v1')]);
    expect(mail.sent).toEqual([]);
  });
});
