import { z } from 'zod';
import { requestsOf } from '../request.js';
import { timestamp } from '../shapes.js';
import { CREDENTIALS, DEPLOY_KEY, WEB_SERVICE_DELETION } from './examples.js';
import { deletion } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

const publicKey = z.string().describe('A line of authorized_keys: `ssh-ed25519`, the key and a comment.');

/** Replaces the existing key, and deletes the host keys that were stored with it. */
export const createDeployKey = request('create-deploy-key', {
  request: ofWebService,
  reply: z.object({ public_key: publicKey }),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'DeployKeys.create',
    method: 'POST',
    path: '/web-services/{web_service_id}/deploy-key',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create the deploy key of a web service, or replace it',
    description:
      'Add the public key to the repository, with read access. Deployments from an `ssh://` or `git@host:path` address use it. The private key is stored encrypted and never returned.',
    examples: { reply: DEPLOY_KEY },
  },
});

export const deleteDeployKey = request('delete-deploy-key', {
  request: ofWebService,
  reply: deletion,
  refusals: { web_service_not_found: 404, deploy_key_not_found: 404 },
  http: {
    operation: 'DeployKeys.remove',
    method: 'DELETE',
    path: '/web-services/{web_service_id}/deploy-key',
    access: ['platform-key', 'session'],
    summary: 'Delete the deploy key; deployments over SSH fail from now on',
    description: 'Delete the public key at the repository as well.',
    examples: { reply: WEB_SERVICE_DELETION },
  },
});

/** Users of Basic authentication have no colon; 8 characters are enough to mask a token in logs. */
export const username = z.string().regex(/^[!-9;-~]{1,255}$/, 'must be printable ASCII without spaces and colons');
const token = z.string().regex(/^[!-~]{8,4096}$/, 'must be 8 to 4,096 printable ASCII characters without spaces');

export const setGitToken = request('set-git-token', {
  request: ofWebService.extend({
    username: username
      .default('x-access-token')
      .describe('The user name that the Git host expects beside the token; most accept any.'),
    token: token.describe('A token that may read the repository.'),
  }),
  reply: z.object({
    username: z.string().describe('The user name that is sent with the token.'),
    host: z.string().describe('The host that the token is sent to.'),
  }),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'GitTokens.set',
    method: 'PUT',
    path: '/web-services/{web_service_id}/git-token',
    access: ['platform-key', 'session'],
    summary: 'Store or replace the access token for a repository over HTTPS',
    examples: {
      body: { token: 'glpat-0123456789abcdef' },
      reply: { username: 'x-access-token', host: 'gitlab.com' },
    },
    description:
      'The token is stored encrypted and never returned. It is sent only to the host of the repository that is configured now; after a change of the host, store a token again.',
  },
});

export const deleteGitToken = request('delete-git-token', {
  request: ofWebService,
  reply: deletion,
  refusals: { web_service_not_found: 404, git_token_not_found: 404 },
  http: {
    operation: 'GitTokens.remove',
    method: 'DELETE',
    path: '/web-services/{web_service_id}/git-token',
    access: ['platform-key', 'session'],
    summary: 'Delete the access token for the repository',
    description: 'Revoke the token at the repository as well.',
    examples: { reply: WEB_SERVICE_DELETION },
  },
});

const hostKey = z.object({
  host: z.string().describe('The server, with its port if that is not 22.'),
  fingerprint: z.string().describe('`SHA256:` and the digest in base64, as ssh-keygen shows it.'),
});

export const getRepositoryCredentials = request('get-repository-credentials', {
  request: ofWebService,
  reply: z.object({
    deploy_key: z
      .object({
        public_key: publicKey,
        created_at: timestamp.describe('When it was created.'),
        host_keys: z.array(hostKey).describe('Keys of servers that were stored at the first connection.'),
      })
      .nullable()
      .describe('Null if there is none.'),
    git_token: z
      .object({
        username: z.string().describe('The user name that is sent with the token.'),
        host: z.string().describe('The host that the token is sent to.'),
        created_at: timestamp.describe('When it was set.'),
      })
      .nullable()
      .describe('Null if there is none.'),
    registry: z
      .object({
        username: z.string().describe('The user name at the registry.'),
        host: z.string().describe('The registry that the credentials are sent to.'),
        created_at: timestamp.describe('When they were set.'),
      })
      .nullable()
      .optional()
      .describe('The credentials of a container registry; null if there are none.'),
  }),
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'DeployKeys.get',
    method: 'GET',
    path: '/web-services/{web_service_id}/repository-credentials',
    access: ['platform-key', 'session'],
    summary: 'Get the public key and the metadata of the access token and registry credentials, without secrets',
    description: 'Values that are null do not exist.',
    examples: { reply: CREDENTIALS },
  },
});
export type RepositoryCredentials = z.output<typeof getRepositoryCredentials.reply>;
