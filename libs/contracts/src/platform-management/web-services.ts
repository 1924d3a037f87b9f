import { z } from 'zod';
import { fieldHints } from '../field-hints.js';
import { requestsOf } from '../request.js';
import { id, resourceName } from '../shapes.js';
import { autoscaling } from './autoscaling.js';
import { ofCaller } from './caller.js';
import { dockerfileOptions } from './dockerfile-options.js';
import { NEW_WEB_SERVICE, WEB_SERVICE, WEB_SERVICE_DELETION } from './examples.js';
import { firstByteTimeout, healthCheck } from './health-checks.js';
import { imageReference } from './image-reference.js';
import { previews } from './previews.js';
import { rootDirectory, watchPaths } from './source-folders.js';
import { deletion, secretScope } from './variables.js';
import { webService } from './web-service.js';
import { command, disk, healthCheckPath, instanceSize, instances, processType } from './web-service-fields.js';
import { WEB_SERVICE_HINTS } from './web-service-hints.js';

const request = requestsOf('platform-management');

const sourceFolders = {
  root_directory: rootDirectory
    .nullable()
    .optional()
    .describe(
      'The folder that is built and started, such as `apps/web`; the root of the repository if absent or null.',
    ),
  watch_paths: watchPaths
    .nullable()
    .optional()
    .describe(
      'A push deploys only if it changes a file that matches one of these patterns, such as `apps/web/**`; a pattern that ' +
        'begins with `!` excludes files. Paths are relative to the root of the repository.',
    ),
};

const image = imageReference
  .nullable()
  .optional()
  .describe(
    'An image of a container registry instead of a `git_repository_url`, such as `ghcr.io/ada/shop:1.4` or ' +
      '`registry.example.com:5000/shop@sha256:…`. A tag is resolved to a digest by each deployment.',
  );

const scaling = {
  autoscaling: autoscaling
    .nullable()
    .optional()
    .describe('When instances are added and removed; the defaults if absent or null. Applies at once.'),
};

const responsiveness = {
  health_check: healthCheck
    .nullable()
    .optional()
    .describe('How instances are checked; the defaults if absent or null. `health_check_path` is the path.'),
  first_byte_timeout_seconds: firstByteTimeout
    .nullable()
    .optional()
    .describe(
      'How long the first byte of a response may take, 1 to 3,600 seconds; the limit of the installation if absent or null.',
    ),
};

/**
 * The service also refuses an invalid repository URL or branch, max below min, and anything but exactly one of
 * `git_repository_url` and `image`, with `invalid_input`.
 */
export const webServiceInput = z.strictObject({
  name: resourceName.describe('Name of the web service, 1 to 100 characters.'),
  project_id: id.describe('The project of the web service.'),
  git_repository_url: z
    .string()
    .min(1)
    .max(2048)
    .nullable()
    .optional()
    .describe('The Git repository: `https://`, `http://`, `ssh://` or `git@host:path`. Required without an `image`.'),
  image,
  port: z
    .int()
    .min(1)
    .max(65_535)
    .nullable()
    .optional()
    .describe(
      'The port of the web service. Instances listen on the port in the variable `PORT`. Required without an `image`; ' +
        'with one, the lowest TCP port that the image exposes if absent or null, or 8080 if it exposes none.',
    ),
  branch: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .optional()
    .describe('The branch to deploy; the default branch of the repository if absent.'),
  build_command: command.nullable().optional().describe('Command that builds the web service.'),
  start_command: command
    .nullable()
    .optional()
    .describe(
      'Command that starts an instance. If absent: the `web` line of a Procfile, the `start` script of package.json, ' +
        'or a static site with an index.html.',
    ),
  health_check_path: healthCheckPath
    .nullable()
    .optional()
    .describe('Path that returns 2xx or 3xx when an instance is healthy. If absent, the port must accept connections.'),
  min_instances: instances.default(1).describe('Minimum number of instances, 1 to 20.'),
  max_instances: instances.default(1).describe('Maximum number of instances, at least `min_instances`.'),
  environment: secretScope.default('production').describe('Which project secrets the service gets.'),
  previews: previews.optional(),
  ...sourceFolders,
  ...dockerfileOptions,
  ...scaling,
  ...responsiveness,
});

/** Absent fields keep their values; null removes one. */
export const webServiceChanges = z.strictObject({
  name: resourceName.optional().describe('Name of the web service, 1 to 100 characters.'),
  git_repository_url: z
    .string()
    .min(1)
    .max(2048)
    .nullable()
    .optional()
    .describe('The Git repository: `https://`, `http://`, `ssh://` or `git@host:path`. Replaces an `image`.'),
  image: image.describe(
    'An image of a container registry. Replaces the `git_repository_url`, and removes the settings of its build: ' +
      '`branch`, `build_command`, `root_directory`, `watch_paths`, `dockerfile_path`, `docker_target` and `build_args`.',
  ),
  branch: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .optional()
    .describe('The branch to deploy; null for the default branch of the repository.'),
  build_command: command.nullable().optional().describe('Command that builds the web service; null for none.'),
  start_command: command.nullable().optional().describe('Command that starts an instance; null for the default.'),
  release_command: command
    .nullable()
    .optional()
    .describe('Runs once with each new build, before its instances start; null for none.'),
  health_check_path: healthCheckPath
    .nullable()
    .optional()
    .describe('Path that returns 2xx or 3xx when an instance is healthy; null for none.'),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .nullable()
    .optional()
    .describe('The port of the web service; null for the port that its `image` exposes.'),
  min_instances: instances.optional().describe('Minimum number of instances, 1 to 20.'),
  max_instances: instances.optional().describe('Maximum number of instances, at least `min_instances`.'),
  environment: secretScope.optional().describe('Which project secrets the service gets.'),
  instance: instanceSize.nullable().optional().describe('The limits of each instance; null for the default.'),
  drain_seconds: z
    .int()
    .min(1)
    .max(300)
    .nullable()
    .optional()
    .describe('Seconds that requests may take to finish, 1 to 300; null for the default.'),
  processes: z
    .record(processType, z.int().min(0).max(20))
    .optional()
    .describe('The number of processes of each other process type of the Procfile, by name.'),
  disk: disk
    .nullable()
    .optional()
    .describe('Needs `max_instances` 1. Null detaches the disk; its files are kept until the web service is deleted.'),
  auto_deploy: z.boolean().optional().describe('Whether a push deploys, where there is a deploy hook.'),
  previews: previews.optional(),
  ...sourceFolders,
  ...dockerfileOptions,
  ...scaling,
  ...responsiveness,
});

export const ofWebService = ofCaller.extend({ web_service_id: id.describe('Id of the web service.') });

/** Oldest first. */
export const listWebServices = request('list-web-services', {
  request: ofCaller,
  reply: z.array(webService),
  http: {
    operation: 'WebServices.list',
    method: 'GET',
    path: '/web-services',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'List the web services of the workspace, oldest first',
    description: 'A key that is restricted to projects gets only the web services of those.',
    examples: { reply: [WEB_SERVICE] },
  },
});

export const createWebService = request('create-web-service', {
  request: webServiceInput.extend(ofCaller.shape),
  reply: webService,
  refusals: { project_not_found: 404, invalid_input: 400, quota_reached: 409, runtime_unavailable: 503 },
  http: {
    operation: 'WebServices.create',
    method: 'POST',
    path: '/web-services',
    access: ['platform-key', 'session'],
    status: 201,
    summary: 'Create a web service; its first deployment starts it',
    description: 'Nothing runs until you create a deployment.',
    examples: { body: NEW_WEB_SERVICE, reply: WEB_SERVICE },
  },
});

export const getWebService = request('get-web-service', {
  request: ofWebService,
  reply: webService,
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'WebServices.get',
    method: 'GET',
    path: '/web-services/{web_service_id}',
    access: ['platform-key', 'session'],
    withAdmission: true,
    summary: 'Get a web service',
    description: 'A web service of another workspace is not found.',
    examples: { reply: WEB_SERVICE },
  },
});

/** Refuses settings that the runtime of this installation does not support, and max below min, with `invalid_input`. */
export const changeWebService = request('change-web-service', {
  request: webServiceChanges.extend(ofWebService.shape),
  reply: webService,
  refusals: { web_service_not_found: 404, invalid_input: 400, quota_reached: 409, runtime_unavailable: 503 },
  http: {
    operation: 'WebServices.change',
    method: 'PATCH',
    path: '/web-services/{web_service_id}',
    access: ['platform-key', 'session'],
    summary: 'Change settings; instance counts apply immediately, other changes at the next start or deployment',
    description:
      'With a `disk` one instance runs at a time: each deployment, restart and rollback stops it before the next one starts.',
    examples: { body: { max_instances: 3 }, reply: WEB_SERVICE },
  },
});

/** The web service is no longer found at once. Its instances and stored data are deleted within a minute. */
export const deleteWebService = request('delete-web-service', {
  request: ofWebService,
  reply: deletion,
  refusals: { web_service_not_found: 404 },
  http: {
    operation: 'WebServices.remove',
    method: 'DELETE',
    path: '/web-services/{web_service_id}',
    access: ['platform-key', 'session'],
    summary: 'Delete a web service with its deployments, variables, artefacts, logs and disk; this cannot be undone',
    description: 'It is no longer found at once; its instances and data are gone within a minute.',
    examples: { reply: WEB_SERVICE_DELETION },
  },
});

fieldHints.add(createWebService.request, { ...WEB_SERVICE_HINTS, oneOf: ['git_repository_url', 'image'] });
fieldHints.add(changeWebService.request, WEB_SERVICE_HINTS);
