import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';

const request = requestsOf('platform-management', ['email-send']);

const recipients = z
  .array(z.object({ user_id: id, email: z.string() }))
  .describe('The present owners who can log in and have not turned off such mail.');

/** The facts for mail to the owners of a workspace about one of its web services or databases. */
export const ownerMailFacts = z.object({
  workspace_id: id,
  workspace_name: z.string(),
  project_name: z.string().nullable().describe('Null for a database, because databases do not belong to projects.'),
  name: z.string(),
  reason: z.string().nullable().describe('Human-readable reason, without the output of a build or an instance.'),
  is_live: z
    .boolean()
    .nullable()
    .describe('Whether a version of the web service is running; null if none was ever live, or of a database.'),
  recipients,
});
export type OwnerMailFacts = z.output<typeof ownerMailFacts>;

/**
 * Identifies an event by its position in the store, because published events contain no reasons. The facts are null if
 * there is no such event, or its subject was deleted.
 */
export const getOwnerMailFacts = request('get-owner-mail-facts', {
  request: z.object({ stream_id: z.string().max(200), version: z.int().min(1) }),
  reply: z.object({ facts: ownerMailFacts.nullable() }),
});

/** A page of workspaces whose owners want the daily mail, in the order of their ids. */
export const listStatusMails = request('list-status-mails', {
  request: z.object({ after: id.nullable(), limit: z.int().min(1).max(500) }),
  reply: z.object({ workspaces: z.array(z.object({ id, name: z.string(), recipients })) }),
});

/** The recipients of mail about an email service, which belongs to email-send. */
export const getWorkspaceOwners = request('get-workspace-owners', {
  request: z.object({ workspace_id: id }),
  reply: z.object({ recipients }),
});
