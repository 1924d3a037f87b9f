import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';

const request = requestsOf('platform-management');

export const project = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  created_at: timestamp,
});

/** A name of something that a person made: what is around it is cut off. */
export const resourceName = z.string().trim().min(1, 'must not be empty').max(100);

export const projectInput = z.strictObject({
  name: resourceName,
  description: z.string().max(2000).nullable().optional(),
});

/** Oldest first. What belongs to another user does not exist for the caller, here and in every request below. */
export const listProjects = request('list-projects', {
  request: z.object({ user_id: id }),
  reply: z.array(project),
});

export const createProject = request('create-project', {
  request: projectInput.extend({ user_id: id, workspace_id: id }),
  reply: project,
  refusals: { invalid_input: 400 },
});

export const getProject = request('get-project', {
  request: z.object({ user_id: id, project_id: id }),
  reply: project,
  refusals: { project_not_found: 404 },
});
