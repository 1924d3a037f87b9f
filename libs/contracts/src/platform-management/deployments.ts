import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, page, pageCursors, timestamp } from '../shapes.js';
import { BUILD_LOG, CANCELLED_DEPLOYMENT, DEPLOYMENT, NEW_DEPLOYMENT, onePageOf, ROLLBACK } from './examples.js';
import { logLine } from './logs-and-metrics.js';
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

export const deploymentStage = z.object({
  name: z
    .enum(['queue', 'source', 'build', 'release'])
    .describe(
      '`queue`: waits for its turn. `source`: finds the newest commit. `build`: fetches and builds it. `release`: ' +
        'runs the release command, starts instances and waits for their health checks.',
    ),
  started_at: timestamp.describe('When the stage began.'),
  finished_at: timestamp.nullable().describe('Null while the stage is in progress.'),
});
export type DeploymentStage = z.output<typeof deploymentStage>;

export const deployment = z.object({
  id: id.describe('Id of the deployment.'),
  web_service_id: id.describe('The web service that is deployed.'),
  branch: z.string().nullable().describe('Null until the default branch of the repository is known.'),
  commit: z.string().nullable().describe('Hash of the commit; null until it is known, and for an upload or an image.'),
  commit_message: z
    .string()
    .nullable()
    .optional()
    .describe('First line of the message of the commit; null until the build has ended, and for an upload.'),
  commit_author: z.string().nullable().optional().describe('Name of the author of the commit, like `commit_message`.'),
  status: deploymentStatus.describe(
    'The deployment is in progress while it is `queued`, `building` or `releasing`. `live`: its release serves the ' +
      'traffic. `superseded`: a newer deployment replaced it. `rolled_back`: a rollback replaced it.',
  ),
  error: z
    .string()
    .nullable()
    .describe('Why the deployment failed or was cancelled. Before its end: what it waits for, if anything.'),
  created_at: timestamp.describe('When the deployment was requested.'),
  started_at: timestamp.nullable().describe('When the work began; null while it is queued.'),
  finished_at: timestamp.nullable().describe('When it became live or ended; null before.'),
  stages: z
    .array(deploymentStage)
    .optional()
    .describe(
      'The stages that the deployment has reached, in order. A rollback has no `source` and no `build`. The last ' +
        'stage of a failed deployment is the one that failed.',
    ),
  rollback_of: id.nullable().describe('The earlier deployment that this one rolls back to.'),
  upload: z
    .object({
      digest: z.string().describe('SHA-256 of the archive in hexadecimal.'),
      size_bytes: z.int().describe('The size of the archive in bytes.'),
    })
    .optional()
    .describe('Only if the source was uploaded as an archive instead of fetched from the repository.'),
  image: z
    .string()
    .optional()
    .describe(
      'Only for an image of a registry: its reference, with the digest as soon as it is known. A rollback runs the kept ' +
        'image of this digest.',
    ),
  queue_position: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Only while it waits for a slot to build: its place in the queue, where 1 is next. Workspaces take turns.',
    ),
});
export type Deployment = z.output<typeof deployment>;

export const deploymentInput = z.strictObject({
  branch: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .optional()
    .describe('The branch whose newest commit is deployed; the configured branch if absent or null.'),
  clear_cache: z
    .boolean()
    .optional()
    .describe('Whether the build starts without the packages that earlier builds have downloaded.'),
  upload_of: id
    .nullable()
    .optional()
    .describe(
      'An earlier deployment whose source was uploaded: the same archive is built again. The last three uploads are kept. ' +
        'Not together with `branch`.',
    ),
});

/** Newest first. */
export const listDeployments = request('list-deployments', {
  request: ofWebService.extend({
    limit: z.int().min(1).max(100).default(10).describe('Maximum number of deployments on the page.'),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe('Number of deployments to skip.'),
    ...pageCursors,
  }),
  reply: page(deployment),
  refusals: { web_service_not_found: 404, invalid_input: 400 },
  http: {
    operation: 'Deployments.list',
    method: 'GET',
    path: '/web-services/{web_service_id}/deployments',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'List deployments, newest first',
    description: 'Includes deployments that failed or were superseded.',
    examples: { reply: onePageOf(DEPLOYMENT, 10) },
  },
});

export const createDeployment = request('create-deployment', {
  request: ofWebService.extend(deploymentInput.shape),
  reply: deployment,
  refusals: {
    web_service_not_found: 404,
    service_blocked: 403,
    service_suspended: 403,
    invalid_input: 400,
    deployment_not_found: 404,
  },
  http: {
    operation: 'Deployments.create',
    method: 'POST',
    path: '/web-services/{web_service_id}/deployments',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Build and release the newest commit of a branch',
    description:
      'Without a body, uses the configured branch. With a gzipped tar archive of the source as body, at most 100 MiB, ' +
      'builds that instead. Poll the deployment until its status is `live` or final.',
    archive: 'A gzipped tar archive of the source: files, folders, and symbolic links that stay inside it.',
    bodyOptional: true,
    examples: { body: { branch: 'main' }, reply: NEW_DEPLOYMENT },
  },
});

const ofDeployment = ofWebService.extend({ deployment_id: id.describe('Id of the deployment.') });

export const getDeployment = request('get-deployment', {
  request: ofDeployment,
  reply: deployment,
  refusals: { web_service_not_found: 404, deployment_not_found: 404 },
  http: {
    operation: 'Deployments.get',
    method: 'GET',
    path: '/web-services/{web_service_id}/deployments/{deployment_id}',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'Get a deployment',
    description: 'Poll it after creating a deployment, until its status is `live` or final.',
    examples: { reply: DEPLOYMENT },
  },
});

/** The log of the build and the release, oldest first, without the output of instances. */
export const getDeploymentLogs = request('get-deployment-logs', {
  request: ofDeployment,
  reply: z.object({ lines: z.array(logLine).describe('At most 10,000 lines, oldest first.') }),
  refusals: { web_service_not_found: 404, deployment_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'Deployments.logs',
    method: 'GET',
    path: '/web-services/{web_service_id}/deployments/{deployment_id}/logs',
    access: ['platform-key', 'session'],
    summary: 'Get the log of a deployment: its build and its release, at most 10,000 lines, oldest first',
    description: 'Without the output of instances, which the log of the web service has.',
    examples: { reply: BUILD_LOG },
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
    access: ['platform-key', 'session'],
    summary: 'Cancel a deployment that is queued, building or releasing',
    description: 'The running version keeps serving.',
    examples: { reply: CANCELLED_DEPLOYMENT },
  },
});
