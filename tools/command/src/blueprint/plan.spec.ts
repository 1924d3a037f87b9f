import { describe, expect, it } from '@jest/globals';
import type { Database, Platform, WebService } from '@postern/sdk';
import { readBlueprint, writeBlueprint } from './blueprint.js';
import type { Existing, ExistingService } from './existing.js';
import { blueprintOf } from './export.js';
import { planOf } from './plan.js';

const NOTHING: Existing = { project: undefined, services: new Map(), databases: new Map(), emailServices: new Map() };
const WEB: WebService = {
  id: 'w',
  project_id: 'p',
  name: 'web',
  git_repository_url: 'https://example.com/shop.git',
  branch: null,
  build_command: null,
  start_command: 'node server.js',
  health_check_path: '/healthz',
  port: 8080,
  min_instances: 1,
  max_instances: 3,
  environment: 'staging',
  release_command: null,
  instance: null,
  drain_seconds: 40,
  processes: { worker: 2 },
  disk: null,
  auto_deploy: false,
  previews: true,
  root_directory: 'apps/web',
  watch_paths: ['apps/web/**'],
  dockerfile_path: 'docker/web.Dockerfile',
  docker_target: 'production',
  build_args: { NODE_VERSION: '24' },
  health_check: { host: null, threshold: 5 },
  first_byte_timeout_seconds: null,
  autoscaling: null,
  image: null,
  preview_of: null,
  pull_request: null,
  pull_request_url: null,
  commit_status_error: null,
  status: 'running',
  status_reason: null,
  url: null,
  blocked: false,
  suspended: false,
  flag_reason: null,
  created_at: '2030-01-01T00:00:00.000Z',
};
const cronJob = (name: string) => ({
  id: `cron-${name}`,
  web_service_id: 'w',
  name,
  schedule: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  command: 'npm run nightly',
  overlap: 'skip' as const,
  time_limit_seconds: 600,
  enabled: true,
  next_run_at: null,
  last_run: null,
  created_at: WEB.created_at,
});
const web: ExistingService = {
  service: WEB,
  variables: [
    { id: 'v1', key: 'LEVEL', value: 'true', is_secret: false },
    { id: 'v2', key: 'TOKEN', value: '********', is_secret: true },
  ],
  cronJobs: [cronJob('nightly')],
  domains: [{ id: 'd1', domain: 'shop.example.com' } as ExistingService['domains'][number]],
  attachments: new Map([['main', 'DATABASE_URL']]),
};
const api: ExistingService = {
  ...web,
  service: { ...WEB, id: 'a', name: 'api', disk: { size_mib: 512 }, health_check: null },
  domains: [],
};
const EXISTING: Existing = {
  project: { id: 'p', name: 'Shop' } as Existing['project'],
  services: new Map([
    ['web', web],
    ['api', api],
  ]),
  databases: new Map([['main', { id: 'm', name: 'main', kind: 'relational', plan: 'small' } as unknown as Database]]),
  emailServices: new Map([['Mail', { id: 'e', domains: ['example.com'] }]]),
};

const exported = () =>
  writeBlueprint(blueprintOf('Shop', EXISTING), 'https://postern.example.com/docs/postern.schema.json');
const plan = (text: string, existing = EXISTING, prune = false) => {
  const { steps, notes } = planOf(readBlueprint('postern.yaml', text), existing, { prune });
  return { steps: steps.map(({ action, what, changes }) => [action, what, ...changes].join(' ')), notes };
};

describe('The plan of a blueprint', () => {
  it('is empty for what was exported, also with prune', () => {
    expect(plan(exported())).toEqual({ steps: [], notes: [] });
    expect(plan(exported(), EXISTING, true)).toEqual({ steps: [], notes: [] });
  });

  it('is empty for an exported image, and names an image that changes or replaces a repository', () => {
    const image = { image: 'ghcr.io/ada/shop:1', git_repository_url: null, port: null };
    const service = { ...WEB, ...image, root_directory: null, watch_paths: [], processes: {} };
    const existing = { ...EXISTING, services: new Map([['web', { ...web, service }]]) };
    const text = writeBlueprint(blueprintOf('Shop', existing), 'https://postern.example.com/docs/postern.schema.json');
    expect(plan(text, existing)).toEqual({ steps: [], notes: [] });
    const next = text.replace('shop:1', 'shop:2');
    expect(plan(next, existing).steps).toEqual([
      'change service web image: "ghcr.io/ada/shop:1" → "ghcr.io/ada/shop:2"',
    ]);
    expect(plan(next).steps.join()).toContain('git_repository_url: "https://example.com/shop.git" → null');
    expect(plan(next, NOTHING).steps).toContain('create service web ghcr.io/ada/shop:2');
  });

  it('creates everything in a workspace that has nothing, and asks for the values of secrets', () => {
    expect(plan(exported(), NOTHING)).toEqual({
      steps: [
        'create project Shop',
        'create database main relational',
        'create service web https://example.com/shop.git',
        'create variables of web LEVEL',
        'create attachment of main to web DATABASE_URL',
        'create cron job nightly of web 0 3 * * *',
        'create domain shop.example.com of web',
        'create service api https://example.com/shop.git',
        'create variables of api LEVEL',
        'create attachment of main to api DATABASE_URL',
        'create cron job nightly of api 0 3 * * *',
        'create email service Mail',
        'create sending domain example.com of Mail',
      ],
      notes: [
        'TOKEN of web has no value yet: postern env set TOKEN --secret --service web',
        'TOKEN of api has no value yet: postern env set TOKEN --secret --service api',
      ],
    });
  });

  it('sets a known value of a secret only while the variable does not exist', async () => {
    const secrets = new Map([
      ['web/TOKEN', 'hidden'],
      ['api/TOKEN', 'hidden'],
    ]);
    const file = readBlueprint('postern.yaml', exported());
    expect(planOf(file, EXISTING, { prune: false, secrets })).toEqual({ steps: [], notes: [] });
    const { steps, notes } = planOf(file, NOTHING, { prune: false, secrets });
    expect(notes).toEqual([]);
    const sent: unknown[] = [];
    const platform = { environment: { setAll: async (...given: unknown[]) => sent.push(...given) } } as unknown;
    await steps
      .find(({ what }) => what === 'variables of web')!
      .apply({ platform: platform as Platform, dashboard: undefined, ids: new Map([['service web', 'w']]) });
    expect(sent).toEqual([
      'w',
      [
        { key: 'LEVEL', value: 'true', is_secret: false },
        { key: 'TOKEN', value: 'hidden', is_secret: true },
      ],
    ]);
  });

  it('creates a database with its version', () => {
    const text =
      'project: Shop\ndatabases: {new: {kind: relational, version: "17"}, main: {kind: relational, version: "17"}}';
    expect(plan(text).steps).toEqual(['create database new relational version 17']);
  });

  it('names each setting that changes, from what to what', () => {
    const text = exported()
      .replace('port: 8080', 'port: 9000')
      .replace('LEVEL: "true"', 'LEVEL: 3')
      .replace('0 3 * * *', '0 4 * * *');
    expect(plan(text).steps).toEqual([
      'change service web port: 8080 → 9000',
      'change variables of web LEVEL',
      'change cron job nightly of web schedule: 0 4 * * *',
    ]);
  });

  it('deletes nothing without prune, and no data with it', () => {
    const text = 'project: Shop\nservices:\n  web:\n    repository: https://example.com/shop.git\n';
    expect(plan(text).steps.filter(step => step.startsWith('delete'))).toEqual([]);
    expect(plan(text, EXISTING, true).steps.filter(step => step.startsWith('delete'))).toEqual([
      'delete variable LEVEL of web',
      'delete variable TOKEN of web',
      'delete cron job nightly of web',
      'delete domain shop.example.com of web',
      'delete service api with its disk',
    ]);
  });

  it.each([
    [
      'a smaller disk',
      (text: string) => text.replace('size_mib: 512', 'size_mib: 256'),
      'disks.api.size_mib: a disk can only grow; it has 512 MiB',
    ],
    [
      'another kind of database',
      (text: string) => text.replace('kind: relational', 'kind: key_value'),
      'databases.main: it exists as relational',
    ],
    [
      'an unknown database',
      (text: string) => text.replace('main: DATABASE_URL', 'other: DATABASE_URL'),
      'services.web.databases.other: there is no such database',
    ],
  ])('refuses %s in words', (_, change, words) => {
    expect(() => plan(change(exported()))).toThrow(words);
  });
});

describe('The exported file', () => {
  it('contains no value of a secret', () => {
    expect(exported()).toContain('TOKEN:\n        secret: true');
    expect(exported()).not.toContain('********');
  });

  it('keeps the types of values that look like others', () => {
    expect(readBlueprint('postern.yaml', exported()).services['web']?.env['LEVEL']).toBe('true');
  });
});
