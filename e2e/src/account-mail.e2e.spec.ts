import { describe, expect, it } from '@jest/globals';
import { type MailboxMessage, textOf } from './mailbox.js';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();
const PASSWORD = 'four unrelated words here';
/** The different links of both parts of a mail. */
const linksOf = (mail: MailboxMessage) => [...new Set(textOf(mail).match(/https?:[^\s"<]+/g))];
let users = 0;
const newAddress = () => `account-${Date.now()}-${++users}@customers.test`;

const signIn = (email: string, password: string, headers: Record<string, string> = {}) =>
  world.call('POST', '/dashboard/api/session', { headers, body: { email, password } });
const newUser = async () => {
  const email = newAddress();
  const created = await world.callDashboardApi('POST', '/users', { email, password: PASSWORD });
  expect(created.status).toBe(201);
  const { body } = await signIn(email, PASSWORD);
  const [workspace] = created.body['workspaces'] as readonly { id: string }[];
  return { id: String(created.body['id']), email, token: String(body['token']), workspaceId: String(workspace?.id) };
};
const mailAbout = (address: string, subject: string) => world.mailTo(address, mail => mail.subject === subject);
const tokenOf = (address: string, subject: string) => world.mailbox.linkTokenSentTo(address, subject);

describe('an invitation', () => {
  it('is mailed to an address without a user, who accepts it with a password and gets the role', async () => {
    const owner = await newUser();
    const email = newAddress();
    const path = `/workspaces/${owner.workspaceId}/members`;
    const invited = await world.callDashboardApi('POST', path, { email, role: 'viewer' }, owner.token);
    expect([invited.status, invited.body['status']]).toEqual([201, 'invited']);

    const token = await tokenOf(email, 'Invitation to a workspace');
    const accept = () =>
      world.call('POST', '/dashboard/api/invitations/accept', { body: { token, password: PASSWORD } });
    expect(await accept()).toMatchObject({ status: 201, body: { email } });
    expect((await accept()).status).toBe(400);

    const { body } = await signIn(email, PASSWORD);
    const viewer = String(body['token']);
    const me = await world.callDashboardApi('GET', '/me', undefined, viewer);
    expect(me.body).toMatchObject({ workspaces: [{ id: owner.workspaceId, role: 'viewer' }] });
    const refused = await world.callDashboardApi('POST', '/email-services', { name: 'Shop' }, viewer);
    expect([refused.status, refused.headers.get('error-code')]).toEqual([403, 'role_insufficient']);
    expect((await world.callDashboardApi('GET', '/email-services', undefined, viewer)).status).toBe(200);
    await mailAbout(email, 'You joined a workspace');

    const removed = await world.callDashboardApi('DELETE', `${path}/${me.body['id']}`, undefined, owner.token);
    expect(removed.status).toBe(200);
    expect((await world.callDashboardApi('GET', '/me', undefined, viewer)).status).toBe(401);
    await mailAbout(email, 'You no longer belong to a workspace');
  });

  it('of a user has the same answer, and is accepted on the dashboard without a token', async () => {
    const [owner, user] = [await newUser(), await newUser()];
    const path = `/workspaces/${owner.workspaceId}/members`;
    const invite = (email: string) => world.callDashboardApi('POST', path, { email, role: 'member' }, owner.token);
    const [known, unknown] = [await invite(user.email), await invite(newAddress())];
    expect(known.status).toBe(unknown.status);
    expect(Object.keys(known.body)).toEqual(Object.keys(unknown.body));
    expect(known.body).toMatchObject({ status: 'invited', joined_at: null });

    const mail = await mailAbout(user.email, 'Invitation to a workspace');
    expect(linksOf(mail)).toEqual([
      expect.stringMatching(/\/dashboard\/invitations$/),
      expect.stringMatching(/\/unsubscribe\//),
    ]);
    const list = await world.callDashboardApi('GET', '/invitations', undefined, user.token);
    expect(list.body).toMatchObject([{ id: known.body['id'], role: 'member', invited_by: owner.email }]);
    const accepting = `/invitations/${known.body['id']}/accept`;
    expect((await world.callDashboardApi('POST', accepting, undefined, owner.token)).status).toBe(404);
    const accepted = await world.callDashboardApi('POST', accepting, undefined, user.token);
    expect(accepted).toMatchObject({ status: 200, body: { id: owner.workspaceId, role: 'member' } });
    expect((await world.callDashboardApi('POST', accepting, undefined, user.token)).status).toBe(404);
  });
});

describe('a new password', () => {
  it('is set with a mailed link, which works once and ends all sessions', async () => {
    const user = await newUser();
    const requestReset = (email: string) => world.call('POST', '/dashboard/api/password-reset', { body: { email } });
    const [known, unknown] = [await requestReset(user.email), await requestReset(newAddress())];
    expect([known.status, known.body]).toEqual([202, unknown.body]);
    expect(unknown.status).toBe(202);

    const token = await tokenOf(user.email, 'Set a new password');
    const confirm = (password: string) =>
      world.call('POST', '/dashboard/api/password-reset/confirm', { body: { token, password } });
    expect((await confirm('short')).status).toBe(400);
    const confirmed = await confirm('another four words here');
    expect([confirmed.status, confirmed.body]).toEqual([200, {}]);
    expect(confirmed.headers.get('set-cookie')).toMatch(/^postern_device=\S+; .*HttpOnly/);
    expect((await confirm('another four words here')).status).toBe(400);
    expect((await world.callDashboardApi('GET', '/me', undefined, user.token)).status).toBe(401);
    expect((await signIn(user.email, 'another four words here')).status).toBe(200);
    await mailAbout(user.email, 'Your password was changed');
  });
});

describe('a notice', () => {
  it('is an auto-generated mail with links to the dashboard only, and reports a new device once', async () => {
    const user = await newUser();
    const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    for (let n = 0; n < 2; n++) await signIn(user.email, PASSWORD, { 'user-agent': FIREFOX });
    await world.callDashboardApi('POST', '/platform-keys', { name: 'CI', scope: 'read' }, user.token);
    const mail = await mailAbout(user.email, 'A platform key was created');
    expect(mail.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(linksOf(mail)).toEqual([expect.stringMatching(/\/dashboard$/)]);

    const signIns = (await world.mailsTo(user.email)).filter(
      ({ subject }) => subject === 'New sign-in to your account',
    );
    expect(signIns).toHaveLength(1);
    expect(textOf(signIns[0]!)).toContain('Firefox on Linux');
  });
});
