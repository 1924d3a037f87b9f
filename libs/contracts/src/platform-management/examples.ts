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
  first_byte_timeout_seconds: null,
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
  status: 'live',
  error: null,
  created_at: CREATED_AT,
  started_at: '2030-01-02T03:04:06.000Z',
  finished_at: '2030-01-02T03:05:11.000Z',
  rollback_of: null,
};
export const NEW_DEPLOYMENT = { ...DEPLOYMENT, commit: null, status: 'queued', started_at: null, finished_at: null };
export const ROLLBACK = {
  ...DEPLOYMENT,
  id: '0198d3b0-2b3c-7d4e-9f5a-6b7c8d9e0f04',
  status: 'releasing',
  finished_at: null,
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
export const HISTORY = { period: 3600, step: 12, points: [{ timestamp: CREATED_AT, ...METRICS }] };

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
export const DATABASE_WITH_USAGE = {
  ...DATABASE,
  usage: { cpu: { millicores: 20, percent: 8 }, memory: { bytes: 67_108_864, percent: 25 } },
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
