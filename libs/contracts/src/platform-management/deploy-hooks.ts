import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';
import { DEPLOY_HOOK, DEPLOY_HOOK_CALLS } from './examples.js';
import { deletion } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

/** `url` is a path of the gateway here; clients receive a URL. */
export const createDeployHook = request('create-deploy-hook', {
  request: ofWebService,
  reply: z.object({
    id: id.describe('Id of the deploy hook.'),
    url: z.string().describe('The URL to call. Anyone who knows it can deploy.'),
    secret: z.string().describe('The secret for the webhook of a Git host.'),
  }),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'DeployHooks.create',
    method: 'POST',
    path: '/web-services/{web_service_id}/deploy-hook',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create the deploy hook of a web service, or replace it',
    description:
      'The URL and the secret are shown once. A POST to the URL deploys the configured branch. A push event of GitHub, GitLab, Gitea, Forgejo or Bitbucket is checked against the secret and deploys only for a push to that branch. Events of pull and merge requests create, deploy and delete previews, if the web service has `previews`.',
    urlField: 'url',
    examples: { reply: DEPLOY_HOOK },
  },
});

const outcome = z.enum(['deployed', 'recorded', 'ignored']);

/** A call of a deploy hook, with its result. */
const delivery = z.object({
  at: timestamp.describe('When it was called.'),
  outcome: outcome.describe(
    'recorded: the web service does not deploy on push, or the request of a preview was closed. ignored: the reason says why.',
  ),
  reason: z.string().nullable().describe('Why it was not deployed; null if it was.'),
  deployment_id: id.nullable().describe('The deployment; null if there is none.'),
});

export const getDeployHook = request('get-deploy-hook', {
  request: ofWebService,
  reply: z.object({
    id: id.describe('Id of the deploy hook.'),
    created_at: timestamp.describe('When it was created.'),
    deliveries: z.array(delivery).describe('Its last calls, newest first.'),
  }),
  refusals: { web_service_not_found: 404, deploy_hook_not_found: 404 },
  http: {
    operation: 'DeployHooks.get',
    method: 'GET',
    path: '/web-services/{web_service_id}/deploy-hook',
    access: ['platform-key', 'session'],
    summary: 'Get the last calls of the deploy hook, newest first',
    description: 'Shows at most 20 calls, without the URL and the secret.',
    examples: { reply: DEPLOY_HOOK_CALLS },
  },
});
export type DeployHook = z.output<typeof getDeployHook.reply>;

export const deleteDeployHook = request('delete-deploy-hook', {
  request: ofWebService,
  reply: deletion,
  refusals: { web_service_not_found: 404, deploy_hook_not_found: 404 },
  http: {
    operation: 'DeployHooks.remove',
    method: 'DELETE',
    path: '/web-services/{web_service_id}/deploy-hook',
    access: ['platform-key', 'session'],
    summary: 'Delete the deploy hook; its URL stops working immediately',
    description: 'Create another one to deploy on push again.',
    examples: { reply: { id: DEPLOY_HOOK.id, deleted: true } },
  },
});

/** The relevant headers of Git hosts, in lower case. */
export const DEPLOY_HOOK_HEADERS = [
  'x-github-event',
  'x-hub-signature-256',
  'x-gitlab-event',
  'x-gitlab-token',
  'x-gitea-event',
  'x-gitea-signature',
  'x-forgejo-event',
  'x-forgejo-signature',
  'x-event-key',
  'x-hub-signature',
] as const;

/** The hook with a token hash; requested before the body of a call is read. */
export const findDeployHook = request('find-deploy-hook', {
  request: z.object({ token_hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  reply: z.object({ id, web_service_id: id, workspace_id: id }),
  refusals: { deploy_hook_not_found: 404 },
  callers: ['api-gateway'],
});

/** A POST to the URL of a hook. The token in the URL authenticates a bare call; events need a signature as well. */
export const receiveDeployHook = request('receive-deploy-hook', {
  request: z.object({
    token: z.string().max(200),
    headers: z.partialRecord(z.enum(DEPLOY_HOOK_HEADERS), z.string().max(500)),
    content_type: z.string().max(200),
    /** Base64, because signatures are over the bytes. */
    body: z.string(),
  }),
  reply: z.object({ outcome, reason: z.string().nullable(), deployment_id: id.nullable() }),
  refusals: {
    deploy_hook_not_found: 404,
    invalid_signature: 401,
    invalid_event: 400,
    too_many_calls: 429,
    service_blocked: 403,
    service_suspended: 403,
    quota_reached: 409,
    web_service_not_found: 404,
  },
  callers: ['api-gateway'],
});
