import { expect, it } from '@jest/globals';
import { camelCased, snakeCased } from './wire-names.js';

const PLAN = {
  webServiceId: 'a',
  startCommand: undefined,
  healthCheck: { graceSeconds: 30 },
  secrets: ['webServiceId', 'web_service_id'],
  attachmentUsers: [{ userName: 'ada' }],
  environment: { DATABASE_URL: 'x', camelCase: 'y', __proto: 'z' },
  files: { 'tls_key.pem': 'eA==' },
  processes: { image_worker: 2 },
  dockerfile: { buildArguments: { apiUrl: 'x', node_version: '24' } },
  exitCode: null,
};

it('converts the names of fields in both directions, and no values', () => {
  const sent = snakeCased(PLAN);
  expect(sent).toEqual({
    web_service_id: 'a',
    start_command: undefined,
    health_check: { grace_seconds: 30 },
    secrets: ['webServiceId', 'web_service_id'],
    attachment_users: [{ user_name: 'ada' }],
    environment: { DATABASE_URL: 'x', camelCase: 'y', __proto: 'z' },
    files: { 'tls_key.pem': 'eA==' },
    processes: { image_worker: 2 },
    dockerfile: { build_arguments: { apiUrl: 'x', node_version: '24' } },
    exit_code: null,
  });
  expect(camelCased(sent)).toEqual(PLAN);
});

it('a record with names of users below another name does not compile', () => {
  // @ts-expect-error: the names of `labels` would be converted.
  const sent: { labels: Record<string, string> } = snakeCased({ labels: {} as Record<string, string> });
  expect(sent).toEqual({ labels: {} });
});
