import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { workspaceRole } from '../workspace-roles.js';

/** Requests of email-send for mail about an event, because events contain neither addresses nor tokens. */
const request = requestsOf('platform-management', ['email-send']);

/** The address of a user, and the name of the workspace of the event. */
export const getAccountMailFacts = request('get-account-mail-facts', {
  request: z.object({ user_id: id, workspace_id: id.optional() }),
  reply: z.object({ email: z.string().nullable(), workspace_name: z.string().nullable() }),
});

const token = z.string().describe('Part of a link; only its hash is stored. A later one replaces it.');

/** Null if nothing is to be mailed: no user has the address, or the request is too old or was used. */
export const issuePasswordResetToken = request('issue-password-reset-token', {
  request: z.object({ request_id: id }),
  reply: z.object({ mail: z.object({ email: z.string(), token }).nullable() }),
});

/** Null if nothing is to be mailed: the invitation has ended or expired, or its inviter may not invite any more. */
export const issueInvitationToken = request('issue-invitation-token', {
  request: z.object({ invitation_id: id }),
  reply: z.object({
    mail: z
      .object({
        email: z.string(),
        token,
        workspace_name: z.string(),
        has_account: z.boolean().describe('Whether a user has the address, who accepts on the dashboard.'),
        invited_by: z.string().describe('The address of the inviter.'),
        role: workspaceRole,
      })
      .nullable(),
  }),
});
