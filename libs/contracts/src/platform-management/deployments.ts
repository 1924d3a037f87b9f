import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, timestamp } from '../shapes.js';
import { DEPLOYMENT, NEW_DEPLOYMENT, onePageOf, ROLLBACK } from './examples.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

export const deploymentStatus = z.enum([
  'queued',
  'building',
  'releasing',
  'live',
  'failed',
  'superseded',
  'rolled_back',
  'cancelled',
]);

export type DeploymentStatus = z.output<typeof deploymentStatus>;

export const deployment = z.object({
  id,
  web_service_id: id,
  branch: z.string().nullable().describe('Null until the default branch of the repository is known.'),
  commit: z.string().nullable(),
  status: deploymentStatus,
  error: z
    .string()
    .nullable()
    .describe('Why the deployment failed or was cancelled. Before its end: what it waits for, if anything.'),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  rollback_of: id.nullable().describe('The earlier deployment that this one rolls back to.'),
});
export type Deployment = z.output<typeof deployment>;

export const deploymentInput = z.strictObject({ branch: z.string().min(1).max(255).optional() });

/** Newest first. */
export const listDeployments = request('list-deployments', {
  request: ofWebService.extend({
    limit: z.int().min(1).max(100).default(10),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  reply: page(deployment),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'Deployments.list',
    method: 'GET',
    path: '/web-services/{web_service_id}/deployments',
    access: ['platform-key', 'session'],
    summary: 'List deployments, newest first',
    examples: { reply: onePageOf(DEPLOYMENT, 10) },
  },
});

export const createDeployment = request('create-deployment', {
  request: ofWebService.extend(deploymentInput.shape),
  reply: deployment,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, invalid_input: 400 },
  http: {
    operation: 'Deployments.create',
    method: 'POST',
    path: '/web-services/{web_service_id}/deployments',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Build and release the newest commit of a branch',
    description: 'Without a body, uses the configured branch. Poll the deployment until its status is `live` or final.',
    bodyOptional: true,
    examples: { body: { branch: 'main' }, reply: NEW_DEPLOYMENT },
  },
});

const ofDeployment = ofWebService.extend({ deployment_id: id });

export const getDeployment = request('get-deployment', {
  request: ofDeployment,
  reply: deployment,
  refusals: { web_service_not_found: 404, deployment_not_found: 404 },
  http: {
    operation: 'Deployments.get',
    method: 'GET',
    path: '/web-services/{web_service_id}/deployments/{deployment_id}',
    access: ['platform-key', 'session'],
    summary: 'Get a deployment',
    examples: { reply: DEPLOYMENT },
  },
});

/** Returns the new deployment, whose `rollback_of` names the earlier one. */
export const rollBackDeployment = request('roll-back-deployment', {
  request: ofDeployment,
  reply: deployment,
  refusals: {
    web_service_not_found: 404,
    deployment_not_found: 404,
    deployment_never_live: 400,
    deployment_too_old: 400,
    service_blocked: 403,
    service_suspended: 403,
  },
  http: {
    operation: 'Deployments.rollBack',
    method: 'POST',
    path: '/web-services/{web_service_id}/deployments/{deployment_id}/rollback',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Roll back to an earlier deployment without building again',
    description: 'Returns the new deployment. The current release keeps serving until the new instances are healthy.',
    examples: { reply: ROLLBACK },
  },
});

/** Cancels a deployment that is queued, building or releasing. Its build has ended when the status is `cancelled`. */
export const cancelDeployment = request('cancel-deployment', {
  request: ofDeployment,
  reply: deployment,
  refusals: { web_service_not_found: 404, deployment_not_found: 404, deployment_over: 409 },
  http: {
    operation: 'Deployments.cancel',
    method: 'POST',
    path: '/web-services/{web_service_id}/deployments/{deployment_id}/cancel',
    access: 'session',
    summary: 'Cancel a deployment that is queued, building or releasing',
  },
});
