import { afterAll, describe, expect, it } from '@jest/globals';
import { acceptInvitation, addMember, getAccountMailFacts, issueInvitationToken } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { AccountsFixture, OPERATOR } from '../../testing/accounts-fixture.js';

const fixture = await AccountsFixture.start(OPERATOR);
afterAll(() => fixture.stop());

describe('the recipient address of a mail about an event', () => {
  it('is available as soon as the event is stored, also before the read model contains the user', async () => {
    const owner = await fixture.newUser();
    const workspace_id = owner.workspaces[0]?.id as string;
    const email = 'newcomer@example.org';
    const invite = { actor_id: owner.id, id: workspace_id, email, role: 'viewer' as const };
    const { id } = await fixture.client.request(addMember, invite);
    const mail = (await fixture.client.request(issueInvitationToken, { invitation_id: id })).mail;

    const blocker = await fixture.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE users IN EXCLUSIVE MODE');
    const request = { token: mail?.token as string, password: 'four unrelated words here' };
    const accepted = fixture.client.request(acceptInvitation, request);
    try {
      const user_id = await waitFor(
        async () => {
          const [row] = await fixture.query<{ user_id: string }>(
            `SELECT data->>'user_id' AS user_id FROM event_store.events
             WHERE type = 'platform-management.member-added.v1' AND data->>'workspace_id' = $1`,
            [workspace_id],
          );
          return row?.user_id;
        },
        { describe: 'the event of the new member' },
      );
      const facts = await fixture.client.request(getAccountMailFacts, { user_id, workspace_id });
      expect(facts).toEqual({ email, workspace_name: owner.workspaces[0]?.name });
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
      await accepted;
    }
  });
});
