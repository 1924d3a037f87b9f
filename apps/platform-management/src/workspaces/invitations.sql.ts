const PENDING = 'ended_at IS NULL AND expires_at > now()';

/** Counts pending invitations (of the address in the workspace, of the workspace) and those of the last day (of each). */
export const COUNT_INVITATIONS = `
  SELECT count(*) FILTER (WHERE workspace_id = $1 AND email = $2 AND ${PENDING})::integer AS "ofBoth",
    count(*) FILTER (WHERE workspace_id = $1 AND ${PENDING})::integer AS pending,
    count(*) FILTER (WHERE workspace_id = $1 AND created_at > now() - interval '1 day')::integer AS "ofWorkspace",
    count(*) FILTER (WHERE email = $2 AND created_at > now() - interval '1 day')::integer AS "ofAddress"
  FROM invitations WHERE workspace_id = $1 OR email = $2`;

export const INSERT_INVITATION = `
  INSERT INTO invitations (id, workspace_id, email, role, invited_by, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6))
  RETURNING id, workspace_id AS "workspaceId", email, role, invited_by AS "invitedBy", expires_at AS "expiresAt"`;

export const REVOKE_INVITATION = `
  UPDATE invitations SET ended_at = now() WHERE workspace_id = $1 AND id = $2 AND ${PENDING}`;

/** Each retry of the mail has a new token, which replaces the previous one. */
export const SET_INVITATION_TOKEN = `
  UPDATE invitations SET token_hash = $2 WHERE id = $1 AND ${PENDING}
  RETURNING id, workspace_id AS "workspaceId", email, role, invited_by AS "invitedBy", expires_at AS "expiresAt"`;

export const FIND_INVITATION = `
  SELECT id, workspace_id AS "workspaceId", email, role, invited_by AS "invitedBy", expires_at AS "expiresAt"
  FROM invitations WHERE token_hash = $1 AND ${PENDING}`;

export const USE_INVITATION = `UPDATE invitations SET ended_at = now() WHERE token_hash = $1 AND ${PENDING}`;

/** Ends the invitations of a user who was added without accepting one. */
export const END_INVITATIONS_OF_USER = `
  UPDATE invitations SET ended_at = now()
  WHERE workspace_id = $1 AND ${PENDING} AND email = (SELECT email FROM credentials WHERE user_id = $2)`;

export const DELETE_OLD_INVITATIONS = `
  DELETE FROM invitations WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM invitations
    WHERE created_at < now() - interval '1 day' AND (ended_at IS NOT NULL OR expires_at < now()) LIMIT $1))`;
