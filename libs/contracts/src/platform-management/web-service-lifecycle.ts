import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { statusNow } from './examples.js';
import { webServiceStatus } from './web-service.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

const lifecycleReply = z.object({
  id: id.describe('Id of the web service.'),
  status: webServiceStatus.describe('The status after the request; poll the web service to follow it.'),
});

/** Starts the artefact of the last successful deployment with the current environment. */
export const startWebService = request('start-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, nothing_to_start: 400 },
  http: [
    {
      operation: 'WebServices.deploy',
      operationId: 'deployWebService',
      method: 'POST',
      path: '/web-services/{web_service_id}/deploy',
      access: ['platform-key', 'session'],
      status: 202,
      summary: 'Start the web service (same as start)',
      description: 'Builds nothing. To release a new commit, create a deployment.',
      examples: { reply: statusNow('starting') },
    },
    {
      operation: 'WebServices.start',
      operationId: 'startWebService',
      method: 'POST',
      path: '/web-services/{web_service_id}/start',
      access: ['platform-key', 'session'],
      status: 202,
      summary: 'Start the last successful deployment with the current environment',
      description: 'Builds nothing. To release a new commit, create a deployment.',
      examples: { reply: statusNow('starting') },
    },
  ],
});

export const restartWebService = request('restart-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, never_ran: 400 },
  http: {
    operation: 'WebServices.restart',
    method: 'POST',
    path: '/web-services/{web_service_id}/restart',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Replace the running instances one by one, with the current environment',
    description: 'Builds nothing. Use it to apply changed variables and secrets.',
    examples: { reply: statusNow('restarting') },
  },
});

/** Also cancels a running deployment. */
export const stopWebService = request('stop-web-service', {
  request: ofWebService,
  reply: lifecycleReply,
  refusals: { web_service_not_found: 404, service_blocked: 403, service_suspended: 403, never_ran: 400 },
  http: {
    operation: 'WebServices.stop',
    method: 'POST',
    path: '/web-services/{web_service_id}/stop',
    access: ['platform-key', 'session'],
    status: 202,
    summary: 'Stop all instances; environment and disks are kept',
    description: 'Also cancels a deployment in progress.',
    examples: { reply: statusNow('stopping') },
  },
});
