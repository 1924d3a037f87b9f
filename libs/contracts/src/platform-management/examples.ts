/** Examples for the API documentation; a test checks each against its shape. */

const PROJECT_ID = '0198d3a1-5c1e-7b6f-9d2a-3f1c5e7a9b01';
const WEB_SERVICE_ID = '0198d3a4-0f4b-7d21-8c55-6a1b2c3d4e02';
const DEPLOYMENT_ID = '0198d3a9-7e02-7a90-b1f4-0c9d8e7f6a03';
const CREATED_AT = '2030-01-02T03:04:05.000Z';

export const NEW_PROJECT = { name: 'Shop', description: 'Everything that customers see' };
export const PROJECT = { id: PROJECT_ID, ...NEW_PROJECT, created_at: CREATED_AT };

export const NEW_WEB_SERVICE = {
  name: 'storefront',
  project_id: PROJECT_ID,
  git_repository_url: 'https://git.example.com/shop/storefront.git',
  port: 3000,
  branch: 'main',
  build_command: 'npm run build',
  min_instances: 1,
  max_instances: 3,
};
export const WEB_SERVICE = {
  id: WEB_SERVICE_ID,
  ...NEW_WEB_SERVICE,
  start_command: null,
  health_check_path: null,
  environment: 'production',
  release_command: null,
  instance: null,
  drain_seconds: null,
  processes: {},
  disk: null,
  auto_deploy: true,
  root_directory: null,
  watch_paths: [],
  health_check: null,
  autoscaling: null,
  first_byte_timeout_seconds: null,
  previews: false,
  preview_of: null,
  pull_request: null,
  pull_request_url: null,
  commit_status_error: null,
  image: null,
  dockerfile_path: null,
  docker_target: null,
  build_args: {},
  status: 'running',
  status_reason: null,
  url: 'https://storefront-0198d3a4.apps.example.com',
  blocked: false,
  suspended: false,
  flag_reason: null,
  created_at: CREATED_AT,
};
export const statusNow = (status: string) => ({ id: WEB_SERVICE_ID, status });

export const DEPLOYMENT = {
  id: DEPLOYMENT_ID,
  web_service_id: WEB_SERVICE_ID,
  branch: 'main',
  commit: '3f786850e387550fdab836ed7e6dc881de23001b',
  commit_message: 'Show the total in the cart',
  commit_author: 'Ada Lovelace',
  status: 'live',
  error: null,
  created_at: CREATED_AT,
  started_at: '2030-01-02T03:04:06.000Z',
  finished_at: '2030-01-02T03:05:11.000Z',
  stages: [
    { name: 'queue', started_at: CREATED_AT, finished_at: '2030-01-02T03:04:06.000Z' },
    { name: 'source', started_at: '2030-01-02T03:04:06.000Z', finished_at: '2030-01-02T03:04:07.000Z' },
    { name: 'build', started_at: '2030-01-02T03:04:07.000Z', finished_at: '2030-01-02T03:05:04.000Z' },
    { name: 'release', started_at: '2030-01-02T03:05:04.000Z', finished_at: '2030-01-02T03:05:11.000Z' },
  ],
  rollback_of: null,
};
const UNKNOWN_COMMIT = { commit: null, commit_message: null, commit_author: null };
export const NEW_DEPLOYMENT = {
  ...DEPLOYMENT,
  ...UNKNOWN_COMMIT,
  status: 'queued',
  started_at: null,
  finished_at: null,
  stages: [{ name: 'queue', started_at: CREATED_AT, finished_at: null }],
};
export const ROLLBACK = {
  ...DEPLOYMENT,
  id: '0198d3b0-2b3c-7d4e-9f5a-6b7c8d9e0f04',
  status: 'releasing',
  finished_at: null,
  stages: [
    { name: 'queue', started_at: CREATED_AT, finished_at: '2030-01-02T03:04:06.000Z' },
    { name: 'release', started_at: '2030-01-02T03:04:06.000Z', finished_at: null },
  ],
  rollback_of: DEPLOYMENT_ID,
};

export const onePageOf = (item: object, limit: number) => ({ items: [item], total: 1, limit, offset: 0 });

export const LOGS = {
  lines: [{ timestamp: CREATED_AT, instance: 'a1b2c3', stream: 'stdout', message: 'Listening on port 3000' }],
};
export const METRICS = {
  cpu: { millicores: 120, percent: 12 },
  memory: { bytes: 134_217_728, percent: 25 },
  instances: 2,
};
const REQUESTS = { per_second: 12.5, errors_per_second: 0.1, response_ms: 48.2 };
export const HISTORY = { period: 3600, step: 15, points: [{ timestamp: CREATED_AT, ...METRICS, requests: REQUESTS }] };

const VARIABLE_ID = '0198d3b5-4c5d-7e6f-8a7b-8c9d0e1f2a05';
const MASKED = '********';
export const NEW_VARIABLE = { key: 'SESSION_SECRET', value: 'correct horse battery staple', is_secret: true };
export const VARIABLE = { ...NEW_VARIABLE, id: VARIABLE_ID, value: MASKED };
export const NEW_SECRET = { key: 'PAYMENT_TOKEN', value: 'tok_1234', scope: 'production', is_secret: true };
export const SECRET = { ...NEW_SECRET, id: VARIABLE_ID, value: MASKED };
export const SECRETS_BY_KEY = {
  PAYMENT_TOKEN: [{ id: VARIABLE_ID, scope: 'production', value: MASKED, is_secret: true }],
};
export const BULK_RESULT = { created: ['PAYMENT_TOKEN'], updated: [] };
export const DELETION = { id: VARIABLE_ID, deleted: true };

export const DATABASE = {
  id: '0198d3ba-6d7e-7f80-9b8c-9d0e1f2a3b06',
  name: 'orders',
  kind: 'relational',
  status: 'running',
  status_reason: null,
  plan: 'starter',
  limits: { cpu_millicores: 250, memory_bytes: 268_435_456, storage_bytes: 1_073_741_824, connections: 20 },
  hostnames: ['orders.databases.example.com'],
  created_at: CREATED_AT,
};
export const EXTERNAL_ACCESS = {
  enabled: true,
  allowed_cidrs: ['203.0.113.0/24'],
  open_to_everyone: false,
  host: 'db.example.com',
  port: 10_321,
  unavailable_reason: null,
};
export const DATABASE_WITH_USAGE = {
  ...DATABASE,
  usage: {
    cpu: { millicores: 20, percent: 8 },
    memory: { bytes: 67_108_864, percent: 25 },
    storage: { bytes: 268_435_456, percent: 25 },
  },
  connection: {
    host: '10.208.0.6',
    port: 10_321,
    username: 'app',
    database: 'app',
    ca_certificate: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
  },
  server_version: '15',
  external_access: EXTERNAL_ACCESS,
  recovery: { earliest: '2026-05-01T03:00:12.000Z', latest: '2026-05-08T09:30:00.000Z', problem: null },
};

export const EXTENSION = {
  name: 'citext',
  version: '1.6',
  installed_version: '1.6',
  description: 'data type for case-insensitive character strings',
};

export const RESOLVED_VARIABLE = {
  key: 'SESSION_SECRET',
  value: MASKED,
  is_secret: true,
  origin: 'variable',
  running: true,
};
const FILE_ID = '0198d3c1-1a2b-7c3d-8e4f-5a6b7c8d9e07';
export const NEW_SECRET_FILE = { path: 'google.json', content: '{"type": "service_account"}' };
export const SECRET_FILE = { id: FILE_ID, path: 'google.json', size_bytes: 27, updated_at: CREATED_AT };
export const SECRET_FILE_DELETION = { id: FILE_ID, deleted: true };

export const PROJECT_DELETION = { id: PROJECT_ID, deleted: true };
export const WEB_SERVICE_DELETION = { id: WEB_SERVICE_ID, deleted: true };
export const PROCESS = { type: 'worker', configured: 2, running: 2, failure: null };
export const CANCELLED_DEPLOYMENT = {
  ...DEPLOYMENT,
  commit_message: null,
  commit_author: null,
  status: 'building',
  finished_at: null,
  stages: [
    { name: 'queue', started_at: CREATED_AT, finished_at: '2030-01-02T03:04:06.000Z' },
    { name: 'source', started_at: '2030-01-02T03:04:06.000Z', finished_at: '2030-01-02T03:04:07.000Z' },
    { name: 'build', started_at: '2030-01-02T03:04:07.000Z', finished_at: null },
  ],
};
export const BUILD_LOG = {
  lines: [{ timestamp: CREATED_AT, instance: 'build', stream: 'build', message: '$ npm ci && npm run build' }],
};

export const RUN = {
  id: '0198d3c5-2b3c-7d4e-8f5a-6b7c8d9e0f08',
  web_service_id: WEB_SERVICE_ID,
  command: 'node migrate.js',
  status: 'succeeded',
  exit_code: 0,
  reason: null,
  created_at: CREATED_AT,
  started_at: CREATED_AT,
  finished_at: '2030-01-02T03:04:09.000Z',
  cron_job_id: null,
  scheduled_for: null,
};

export const CUSTOM_DOMAIN = {
  id: '0198d3c9-3c4d-7e5f-8a6b-7c8d9e0f1a09',
  domain: 'shop.example.com',
  status: 'pending',
  target: 'storefront-0198d3a4.apps.example.com',
  txt: { name: '_postern.shop.example.com', value: 'postern-domain=0198d3c9' },
  message: null,
  created_at: CREATED_AT,
  verified_at: null,
};

export const NEW_DATABASE = { name: 'orders', kind: 'relational', plan: 'starter' };
export const CREATED_DATABASE = {
  ...DATABASE,
  status: 'creating',
  connection_url: 'postgresql://customer:password@orders.databases.example.com:5432/customer',
};
export const ATTACHMENT = {
  id: '0198d3cd-4d5e-7f6a-8b7c-8d9e0f1a2b0a',
  database_id: DATABASE.id,
  web_service_id: WEB_SERVICE_ID,
  variable: 'DATABASE_URL',
  created_at: CREATED_AT,
};
export const BACKUP = {
  id: '0198d3d1-5e6f-7a7b-8c8d-9e0f1a2b3c0b',
  database_id: DATABASE.id,
  scheduled: false,
  status: 'completed',
  size_bytes: 1_048_576,
  error: null,
  created_at: CREATED_AT,
  finished_at: '2030-01-02T03:04:19.000Z',
};
export const DISK_BACKUP = {
  id: BACKUP.id,
  web_service_id: WEB_SERVICE_ID,
  scheduled: true,
  status: 'completed',
  size_bytes: 1_048_576,
  error: null,
  created_at: CREATED_AT,
  finished_at: BACKUP.finished_at,
};
export const RESTORE = {
  id: '0198d3d5-6f7a-7b8c-8d9e-0f1a2b3c4d0c',
  backup_id: BACKUP.id,
  status: 'restoring',
  error: null,
  created_at: CREATED_AT,
  finished_at: null,
};

export const DEPLOY_HOOK = {
  id: '0198d3d9-7a8b-7c9d-8e0f-1a2b3c4d5e0d',
  url: 'https://postern.example.com/hooks/deploy/aB3dE5',
  secret: 'correct horse battery staple',
};
export const DEPLOY_HOOK_CALLS = {
  id: DEPLOY_HOOK.id,
  created_at: CREATED_AT,
  deliveries: [{ at: CREATED_AT, outcome: 'deployed', reason: null, deployment_id: DEPLOYMENT_ID }],
};
export const CREDENTIALS = {
  deploy_key: {
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample storefront',
    created_at: CREATED_AT,
    host_keys: [{ host: 'git.example.com', fingerprint: 'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8' }],
  },
  git_token: null,
  registry: null,
};
export const DEPLOY_KEY = { public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample storefront' };
