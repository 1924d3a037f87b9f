/** An invitation ends unless its inviter is an owner of the workspace and not disabled. */
const PENDING = 'ended_at IS NULL AND expires_at > now()';
const VALID = `${PENDING}
  AND EXISTS (SELECT FROM credentials c WHERE c.user_id = invited_by AND c.disabled_at IS NULL)
  AND EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = invited_by AND m.workspace_id = invitations.workspace_id AND m.role = 'owner'
  )`;

const INVITATION = `id, workspace_id AS "workspaceId", email, role, invited_by AS "invitedBy",
  created_at AS "createdAt", expires_at AS "expiresAt"`;

const INVITER_EMAIL =
  '(SELECT inviter.email FROM credentials inviter WHERE inviter.user_id = invited_by) AS "inviterEmail"';

/**
 * The user of an address, if there is one. Counts pending invitations (of the address in the workspace, of the workspace)
 * and those of the last day (of the workspace, of its inviter, of the address).
 */
export const COUNT_INVITATIONS = `
  SELECT (SELECT user_id FROM credentials WHERE credentials.email = $2) AS "userId",
    count(*) FILTER (WHERE workspace_id = $1 AND email = $2 AND ${PENDING})::integer AS "ofBoth",
    count(*) FILTER (WHERE workspace_id = $1 AND ${PENDING})::integer AS pending,
    count(*) FILTER (WHERE workspace_id = $1 AND created_at > now() - interval '1 day')::integer AS "ofWorkspace",
    count(*) FILTER (WHERE invited_by = $3 AND created_at > now() - interval '1 day')::integer AS "ofInviter",
    count(*) FILTER (WHERE email = $2 AND created_at > now() - interval '1 day')::integer AS "ofAddress"
  FROM invitations WHERE workspace_id = $1 OR email = $2 OR invited_by = $3`;

export const INSERT_INVITATION = `
  INSERT INTO invitations (id, workspace_id, email, role, invited_by, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6)) RETURNING ${INVITATION}`;

export const REVOKE_INVITATION = `
  UPDATE invitations SET ended_at = now() WHERE workspace_id = $1 AND id = $2 AND ${PENDING}`;

/** Each retry of the mail has a new token, which replaces the previous one. */
export const SET_INVITATION_TOKEN = `
  UPDATE invitations SET token_hash = $2 WHERE id = $1 AND ${VALID}
  RETURNING ${INVITATION}, ${INVITER_EMAIL},
    EXISTS (SELECT FROM credentials WHERE credentials.email = invitations.email) AS "hasAccount"`;

export const FIND_INVITATION = `SELECT ${INVITATION} FROM invitations WHERE token_hash = $1 AND ${VALID}`;

/** The invitations of a user, with the name of the workspace and the address of the inviter. */
export const LIST_INVITATIONS_OF_USER = `
  SELECT ${INVITATION}, (SELECT name FROM workspaces WHERE workspaces.id = workspace_id) AS "workspaceName",
    ${INVITER_EMAIL}
  FROM invitations
  WHERE email = (SELECT own.email FROM credentials own WHERE own.user_id = $1) AND ${VALID}
  ORDER BY created_at DESC, id DESC`;

/** An invitation of a user, by its id. */
export const FIND_INVITATION_OF_USER = `
  SELECT ${INVITATION} FROM invitations
  WHERE id = $2 AND email = (SELECT own.email FROM credentials own WHERE own.user_id = $1) AND ${VALID}`;

/** Ends an invitation, once. */
export const USE_INVITATION = `UPDATE invitations SET ended_at = now() WHERE id = $1 AND ${VALID}`;

/** The same for a token, which a later mail replaces. */
export const USE_INVITATION_TOKEN = `UPDATE invitations SET ended_at = now() WHERE token_hash = $1 AND ${VALID}`;
