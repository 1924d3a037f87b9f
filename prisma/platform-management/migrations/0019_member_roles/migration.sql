-- Before, every workspace had one user, who owns it.
ALTER TABLE memberships ADD COLUMN role text NOT NULL DEFAULT 'owner';
CREATE INDEX memberships_workspace_id_idx ON memberships (workspace_id);
