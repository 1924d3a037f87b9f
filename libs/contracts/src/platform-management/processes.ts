import { z } from 'zod';
import { requestsOf } from '../request.js';
import { PROCESS } from './examples.js';
import { ofWebService } from './web-services.js';

const request = requestsOf('platform-management');

/** The process types of a web service that run or should run, except `web`. */
export const listProcesses = request('list-processes', {
  request: ofWebService,
  reply: z.array(
    z.object({
      type: z.string().describe('The process type of the Procfile.'),
      configured: z.int().describe('The configured number.'),
      running: z.int().describe('The number that is running.'),
      failure: z
        .string()
        .nullable()
        .describe('How often it was restarted recently, and why, if it crashes repeatedly.'),
    }),
  ),
  refusals: { web_service_not_found: 404, runtime_unavailable: 503 },
  http: {
    operation: 'WebServices.processes',
    method: 'GET',
    path: '/web-services/{web_service_id}/processes',
    access: ['platform-key', 'session'],
    summary: 'List the processes that run alongside the instances, by process type',
    description: 'The process type `web` is not in the list.',
    examples: { reply: [PROCESS] },
  },
});
export type ProcessList = z.output<typeof listProcesses.reply>;
