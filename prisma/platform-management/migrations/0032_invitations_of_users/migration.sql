-- Invitations are counted per inviter, over all workspaces.
CREATE INDEX invitations_invited_by_created_at_idx ON invitations (invited_by, created_at);
