import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, timestamp } from '../shapes.js';
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
  error: z.string().nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  rollback_of: id.nullable().describe('The earlier deployment whose artefact this one releases again.'),
});

export const deploymentInput = z.strictObject({ branch: z.string().min(1).max(255).optional() });

/** Newest first. */
export const listDeployments = request('list-deployments', {
  request: ofWebService.extend({
    limit: z.int().min(1).max(100).default(10),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  reply: page(deployment),
  refusals: { web_service_not_found: 404 },
});

export const createDeployment = request('create-deployment', {
  request: ofWebService.extend(deploymentInput.shape),
  reply: deployment,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, invalid_input: 400 },
});

const ofDeployment = ofWebService.extend({ deployment_id: id });

export const getDeployment = request('get-deployment', {
  request: ofDeployment,
  reply: deployment,
  refusals: { web_service_not_found: 404, deployment_not_found: 404 },
});

/** Answers the new deployment, whose `rollback_of` names the earlier one. */
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
});

/** Ends a deployment that is queued, building or releasing; its build is gone when the deployment is `cancelled`. */
export const cancelDeployment = request('cancel-deployment', {
  request: ofDeployment,
  reply: deployment,
  refusals: { web_service_not_found: 404, deployment_not_found: 404, deployment_over: 409 },
});
