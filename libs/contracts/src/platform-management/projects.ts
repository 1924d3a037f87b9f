import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, resourceName, timestamp } from '../shapes.js';
import { ofCaller } from './caller.js';
import { NEW_PROJECT, PROJECT, PROJECT_DELETION } from './examples.js';
import { deletion } from './variables.js';

const request = requestsOf('platform-management');

export const project = z.object({
  id: id.describe('Id of the project.'),
  name: z.string().describe('Name of the project.'),
  description: z.string().nullable().describe('What the project is for; null if there is no description.'),
  created_at: timestamp.describe('When the project was created.'),
});
export type Project = z.output<typeof project>;

export const projectInput = z.strictObject({
  name: resourceName.describe('Name of the project, 1 to 100 characters.'),
  description: z
    .string()
    .max(2000)
    .nullable()
    .optional()
    .describe('What the project is for, at most 2,000 characters.'),
});

/** Oldest first. Resources of other workspaces are not found, here and in every request below. */
export const listProjects = request('list-projects', {
  request: ofCaller,
  reply: z.array(project),
  http: {
    operation: 'Projects.list',
    method: 'GET',
    path: '/projects',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'List the projects of the workspace, oldest first',
    description: 'Returns all projects. A key that is restricted to projects gets only those.',
    examples: { reply: [PROJECT] },
  },
});

export const createProject = request('create-project', {
  request: projectInput.extend(ofCaller.shape),
  reply: project,
  refusals: { invalid_input: 400, quota_reached: 409, operation_not_allowed: 403, workspace_not_found: 404 },
  http: {
    operation: 'Projects.create',
    method: 'POST',
    path: '/projects',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create a project',
    description: 'A project groups web services, which share its secrets.',
    examples: { body: NEW_PROJECT, reply: PROJECT },
  },
});

/** Absent fields keep their values. */
export const changeProject = request('change-project', {
  request: ofCaller.extend({
    project_id: id.describe('Id of the project.'),
    name: resourceName.optional().describe('Name of the project, 1 to 100 characters.'),
    description: projectInput.shape.description,
  }),
  reply: project,
  refusals: { project_not_found: 404 },
  http: {
    operation: 'Projects.change',
    method: 'PATCH',
    path: '/projects/{project_id}',
    access: ['platform-key', 'session'],
    summary: 'Change the name or the description of a project',
    description: 'Fields that are absent keep their values.',
    examples: { body: { name: 'Shop' }, reply: PROJECT },
  },
});

export const deleteProject = request('delete-project', {
  request: ofCaller.extend({ project_id: id.describe('Id of the project.') }),
  reply: deletion,
  refusals: { project_not_found: 404, project_not_empty: 409 },
  http: {
    operation: 'Projects.remove',
    method: 'DELETE',
    path: '/projects/{project_id}',
    access: ['platform-key', 'session'],
    summary: 'Delete a project without web services, together with its secrets; this cannot be undone',
    description: 'Delete its web services first.',
    examples: { reply: PROJECT_DELETION },
  },
});

export const getProject = request('get-project', {
  request: ofCaller.extend({ project_id: id.describe('Id of the project.') }),
  reply: project,
  refusals: { project_not_found: 404 },
  http: {
    operation: 'Projects.get',
    method: 'GET',
    path: '/projects/{project_id}',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'Get a project',
    description: 'A project of another workspace is not found.',
    examples: { reply: PROJECT },
  },
});
