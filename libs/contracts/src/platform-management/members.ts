import { z } from 'zod';
import { KIB } from '../http-route.js';
import { requestsOf } from '../request.js';
import { id, noContent, timestamp } from '../shapes.js';
import { workspaceRole } from '../workspace-roles.js';
import { membership } from './accounts.js';
import { mailedToken, newPassword } from './password-resets.js';

const request = requestsOf('platform-management', ['api-gateway']);

/** A member of a workspace, or an invited person. */
export const member = z.object({
  id: id.describe('The id of the user, or of the invitation.'),
  email: z.string(),
  role: workspaceRole,
  status: z.enum(['active', 'invited']),
  joined_at: timestamp.nullable().describe('Null for an invitation.'),
  expires_at: timestamp.nullable().describe('When an invitation expires; null for a member.'),
});
export type Member = z.output<typeof member>;

/** The maximum number of users and invitations of a workspace. */
export const MEMBERS_PER_WORKSPACE = 100;

/** How long an invitation can be accepted. */
export const INVITATION_DAYS = 7;

/** The role of a user in a workspace, which the gateway requests before it admits a call about the workspace. */
export const getMembership = request('get-membership', {
  request: z.object({ user_id: id, id }),
  reply: z.object({ role: workspaceRole }),
  refusals: { workspace_not_found: 404 },
});

const ofWorkspace = z.object({ actor_id: id, id: id.describe('The id of the workspace.') });
const ofMember = ofWorkspace.extend({ member_id: id });

export const listMembers = request('list-members', {
  request: ofWorkspace,
  reply: z.array(member),
  refusals: { workspace_not_found: 404 },
  http: {
    operation: 'Members.list',
    method: 'GET',
    path: '/workspaces/{id}/members',
    access: 'workspace-member',
    summary: 'List the members of a workspace',
    description: 'In the order in which they joined, then invitations.',
  },
});

export const addMember = request('add-member', {
  request: ofWorkspace.extend({ email: z.string().max(320), role: workspaceRole }),
  reply: member,
  refusals: {
    workspace_not_found: 404,
    role_insufficient: 403,
    invalid_input: 400,
    member_exists: 409,
    quota_reached: 409,
  },
  http: {
    operation: 'Members.add',
    method: 'POST',
    path: '/workspaces/{id}/members',
    access: 'workspace-member',
    role: 'owner',
    status: 201,
    summary: 'Invite a person to a workspace by email',
    description:
      'The invitation is emailed and expires after 7 days. Nobody becomes a member without accepting it; the answer is the same whether or not the address has an account. A viewer can read; a member can change services; an owner can also manage members and platform keys, and delete.',
  },
});

export const changeMemberRole = request('change-member-role', {
  request: ofMember.extend({ role: workspaceRole }),
  reply: member,
  refusals: { workspace_not_found: 404, role_insufficient: 403, member_not_found: 404, last_owner: 409 },
  http: {
    operation: 'Members.changeRole',
    method: 'PATCH',
    path: '/workspaces/{id}/members/{member_id}',
    access: 'workspace-member',
    role: 'owner',
    summary: 'Change the role of a member',
    description: 'The last owner keeps their role.',
  },
});

export const removeMember = request('remove-member', {
  request: ofMember,
  reply: noContent,
  refusals: { workspace_not_found: 404, role_insufficient: 403, member_not_found: 404, last_owner: 409 },
  http: {
    operation: 'Members.remove',
    method: 'DELETE',
    path: '/workspaces/{id}/members/{member_id}',
    access: 'workspace-member',
    role: 'owner',
    summary: 'Remove a member from a workspace, or revoke an invitation',
    description: 'Their sessions in the workspace end, and their platform keys for it are refused, at once.',
  },
});

export const leaveWorkspace = request('leave-workspace', {
  request: ofWorkspace,
  reply: noContent,
  refusals: { workspace_not_found: 404, last_owner: 409 },
  http: {
    operation: 'Members.leave',
    method: 'POST',
    path: '/workspaces/{id}/leave',
    access: 'workspace-member',
    role: 'viewer',
    summary: 'Leave a workspace',
    description: 'Your sessions in the workspace end, including the one that asks. The last owner cannot leave.',
  },
});

/** An invitation as the invited user sees it. */
export const invitation = z.object({
  id,
  workspace_name: z.string().describe('Chosen by the inviter.'),
  role: workspaceRole,
  invited_by: z.string().describe('The address of the owner who invited you.'),
  created_at: timestamp,
  expires_at: timestamp,
});
export type Invitation = z.output<typeof invitation>;

export const listInvitations = request('list-invitations', {
  request: z.object({ user_id: id }),
  reply: z.array(invitation),
  http: {
    operation: 'Invitations.list',
    method: 'GET',
    path: '/invitations',
    access: 'session',
    summary: 'List the invitations to you that you can accept',
    description: 'The newest first.',
  },
});

const ofInvitation = z.object({ user_id: id, id: id.describe('The id of the invitation.') });

/** Adds a user who has an account; `acceptInvitation` creates one. */
export const joinWorkspace = request('join-workspace', {
  request: ofInvitation,
  reply: membership,
  refusals: { invitation_not_found: 404, member_exists: 409, quota_reached: 409 },
  http: {
    operation: 'Invitations.join',
    method: 'POST',
    path: '/invitations/{id}/accept',
    access: 'session',
    role: 'viewer',
    summary: 'Accept an invitation to you',
    description: 'You become a member of the workspace. Switch to it with `POST /session/workspace`.',
  },
});

export const declineInvitation = request('decline-invitation', {
  request: ofInvitation,
  reply: noContent,
  refusals: { invitation_not_found: 404 },
  http: {
    operation: 'Invitations.decline',
    method: 'POST',
    path: '/invitations/{id}/decline',
    access: 'session',
    role: 'viewer',
    summary: 'Decline an invitation to you',
  },
});

/** Creates the invited user with a password of their own. */
export const acceptInvitation = request('accept-invitation', {
  request: z.object({ token: mailedToken, password: newPassword }),
  reply: z.object({ email: z.string() }),
  refusals: { token_invalid: 400, invalid_input: 400, user_exists: 409 },
  deadlineMs: 10_000,
  http: {
    operation: 'Invitations.accept',
    method: 'POST',
    path: '/invitations/accept',
    access: 'anyone',
    status: 201,
    maxBodyBytes: 4 * KIB,
    summary: 'Accept an invitation with the token from its email',
    description: 'The user belongs to the workspace of the invitation, and signs in with the address and the password.',
  },
});
