import { z } from 'zod';
import { id, timestamp } from '../shapes.js';
import { autoscaling } from './autoscaling.js';
import { healthCheck } from './health-checks.js';
import { gitHostFields } from './previews.js';
import { secretScope } from './variables.js';
import { disk, instanceSize } from './web-service-fields.js';

export const webServiceStatus = z.enum([
  'created',
  'starting',
  'running',
  'restarting',
  'stopping',
  'stopped',
  'failed',
]);

export type WebServiceStatus = z.output<typeof webServiceStatus>;

export const webService = z.object({
  id: id.describe('Id of the web service.'),
  project_id: id.describe('The project of the web service.'),
  name: z.string().describe('Name of the web service.'),
  git_repository_url: z.string().nullable().describe('The Git repository that is deployed; null with an `image`.'),
  branch: z.string().nullable().describe('Null for the default branch of the repository.'),
  build_command: z.string().nullable().describe('Command that builds the web service; null if there is none.'),
  start_command: z
    .string()
    .nullable()
    .describe('Command that starts an instance; null for the `web` line of a Procfile or the `start` script.'),
  health_check_path: z.string().nullable().describe('Null to check only that the port accepts connections.'),
  port: z
    .int()
    .min(1)
    .nullable()
    .describe(
      'The port of the web service. Instances listen on the port in the variable `PORT`. Null for the port that its ' +
        'image exposes.',
    ),
  min_instances: z.int().nonnegative().describe('Minimum number of instances.'),
  max_instances: z.int().nonnegative().describe('Maximum number of instances.'),
  environment: secretScope.describe('Which project secrets the service gets.'),
  release_command: z
    .string()
    .nullable()
    .describe('Runs once with each new build, before its instances start; null for none.'),
  instance: instanceSize.nullable().describe('The limits of each instance; null for the default of the runtime.'),
  drain_seconds: z
    .int()
    .nullable()
    .describe('Seconds that requests may take to finish after SIGTERM; null for the default.'),
  processes: z
    .record(z.string(), z.int().nonnegative())
    .describe('The number of processes of each other process type of the Procfile, by name. They get no traffic.'),
  disk: disk.nullable().describe('A persistent disk, mounted at the path in the variable `DISK_PATH`; null for none.'),
  auto_deploy: z.boolean().describe('Whether a push deploys, where there is a deploy hook.'),
  root_directory: z
    .string()
    .nullable()
    .describe('The folder that is built and started; null for the root of the repository.'),
  watch_paths: z
    .array(z.string())
    .describe('A push deploys only if it changes a matching file; empty if every push deploys.'),
  health_check: healthCheck.nullable().describe('How instances are checked; null for the defaults.'),
  autoscaling: autoscaling.nullable().describe('When instances are added and removed; null for the defaults.'),
  first_byte_timeout_seconds: z
    .int()
    .nullable()
    .describe('How long the first byte of a response may take; null for the limit of the installation.'),
  image: z
    .string()
    .nullable()
    .describe('The image of a container registry that is deployed; null with a `git_repository_url`.'),
  dockerfile_path: z.string().nullable().describe('The Dockerfile that is built; null for `Dockerfile`.'),
  docker_target: z.string().nullable().describe('The stage of the Dockerfile that is built; null for the last one.'),
  build_args: z.record(z.string(), z.string()).describe('Values of the `ARG` instructions of the Dockerfile, by name.'),
  ...gitHostFields,
  status: webServiceStatus.describe('`created` until the first deployment is live.'),
  status_reason: z.string().nullable().describe('Why the last action failed; null if it succeeded.'),
  url: z.string().nullable().describe('The public URL. It does not change between deployments.'),
  blocked: z.boolean().describe('Whether an operator has blocked the service for its content.'),
  suspended: z.boolean().describe('Whether an operator has suspended the service for its bandwidth.'),
  flag_reason: z.string().nullable().describe('Why the service is blocked or suspended.'),
  created_at: timestamp.describe('When the web service was created.'),
});
export type WebService = z.output<typeof webService>;
