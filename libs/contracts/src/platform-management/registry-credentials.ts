import { z } from 'zod';
import { requestsOf } from '../request.js';
import { WEB_SERVICE_DELETION } from './examples.js';
import { username } from './repository-credentials.js';
import { deletion } from './variables.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

/** 8 characters are enough to mask a password in logs. */
const password = z.string().regex(/^[ -~]{8,4096}$/, 'must be 8 to 4,096 printable ASCII characters');

export const setRegistryCredentials = request('set-registry-credentials', {
  request: ofWebService.extend({
    username: username.describe('The user name at the registry.'),
    password: password.describe('A password or access token that may pull the image.'),
  }),
  reply: z.object({
    username: z.string().describe('The user name at the registry.'),
    host: z.string().describe('The registry that the credentials are sent to.'),
  }),
  refusals: { web_service_not_found: 404, invalid_input: 400 },
  http: {
    operation: 'RegistryCredentials.set',
    method: 'PUT',
    path: '/web-services/{web_service_id}/registry-credentials',
    access: ['platform-key', 'session'],
    summary: 'Store or replace the credentials for the registry of the image',
    examples: {
      body: { username: 'shop-deploy', password: 'dckr_pat_0123456789' },
      reply: { username: 'shop-deploy', host: 'registry.example.com:5000' },
    },
    description:
      'The password is stored encrypted and never returned. It is sent only to the registry of the image that is configured now, and to the token service that this registry names; after a change of the registry, store credentials again.',
  },
});

export const deleteRegistryCredentials = request('delete-registry-credentials', {
  request: ofWebService,
  reply: deletion,
  refusals: { web_service_not_found: 404, registry_credentials_not_found: 404 },
  http: {
    operation: 'RegistryCredentials.remove',
    method: 'DELETE',
    path: '/web-services/{web_service_id}/registry-credentials',
    access: ['platform-key', 'session'],
    summary: 'Delete the credentials for the registry of the image',
    description: 'Releases that were deployed keep running. Revoke the token at the registry as well.',
    examples: { reply: WEB_SERVICE_DELETION },
  },
});
