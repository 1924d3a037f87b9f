import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { NEW_PROJECT, PROJECT } from './examples.js';

const request = requestsOf('platform-management');

export const project = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  created_at: timestamp,
});
export type Project = z.output<typeof project>;

/** The name of a resource; surrounding white space is removed. */
export const resourceName = z.string().trim().min(1, 'must not be empty').max(100);

export const projectInput = z.strictObject({
  name: resourceName,
  description: z.string().max(2000).nullable().optional(),
});

/** Oldest first. Resources of other users are not found, here and in every request below. */
export const listProjects = request('list-projects', {
  request: z.object({ user_id: id }),
  reply: z.array(project),
  http: {
    operation: 'Projects.list',
    method: 'GET',
    path: '/projects',
    access: ['platform-key', 'session'],
    summary: 'List the projects of the user, oldest first',
    examples: { reply: [PROJECT] },
  },
});

export const createProject = request('create-project', {
  request: projectInput.extend({ user_id: id, workspace_id: id }),
  reply: project,
  refusals: { invalid_input: 400, quota_reached: 409 },
  http: {
    operation: 'Projects.create',
    method: 'POST',
    path: '/projects',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create a project',
    examples: { body: NEW_PROJECT, reply: PROJECT },
  },
});

export const getProject = request('get-project', {
  request: z.object({ user_id: id, project_id: id }),
  reply: project,
  refusals: { project_not_found: 404 },
  http: {
    operation: 'Projects.get',
    method: 'GET',
    path: '/projects/{project_id}',
    access: ['platform-key', 'session'],
    summary: 'Get a project',
    examples: { reply: PROJECT },
  },
});
