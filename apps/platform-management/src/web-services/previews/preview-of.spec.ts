import { describe, expect, it } from '@jest/globals';
import { at, created } from '../../testing/web-service-history.js';
import type { Settings } from '../services/aggregate/events.js';
import { webService } from '../services/aggregate/web-service.js';
import { previewOf } from './preview-of.js';

const original = webService.evolve(webService.initial, created);
const of = (settings: Partial<Settings> = {}, number = 7) =>
  previewOf(
    { ...original, settings: { ...original.settings!, ...settings } },
    'preview',
    { number, headBranch: 'feature', url: 'https://git.example.com/shop/pulls/7' },
    at,
  );

describe('a preview', () => {
  it('belongs to the project and the creator of its web service, and shows the branch of the request', () =>
    expect(of({ name: 'shop' })).toMatchObject({
      web_service_id: 'preview',
      user_id: original.userId,
      project_id: original.projectId,
      name: 'shop-pr-7',
      branch: 'feature',
      preview: { web_service_id: original.id, pull_request: 7, url: 'https://git.example.com/shop/pulls/7' },
    }));

  it('is built and started like its web service', () => {
    const copied = {
      git_repository_url: 'git@git.example.com:shop.git',
      port: 8080,
      build_command: 'npm run build',
      start_command: 'npm start',
      release_command: 'npm run migrate',
      root_directory: 'apps/web',
      dockerfile_path: 'docker/web.Dockerfile',
      docker_target: 'production',
      build_args: { NODE_VERSION: '24' },
      health_check_path: '/health',
      health_check: { threshold: 5 },
      first_byte_timeout_seconds: 30,
      instance: { memory_mib: 256, cpu_millicores: 500 },
      drain_seconds: 10,
    };
    expect(of(copied)).toMatchObject(copied);
  });

  it('gets the staging secrets and one instance, whatever its web service has', () => {
    const preview = of({
      environment: 'production',
      min_instances: 2,
      max_instances: 5,
      processes: { worker: 3 },
      disk: { size_mib: 1_024 },
      watch_paths: ['apps/web'],
      previews: true,
      auto_deploy: false,
    });
    expect(preview).toMatchObject({ environment: 'staging', min_instances: 1, max_instances: 1 });
    for (const name of ['processes', 'disk', 'watch_paths', 'previews', 'auto_deploy'])
      expect(preview).not.toHaveProperty(name);
  });

  it('has a name that is not longer than other names', () => {
    const { name } = of({ name: 'x'.repeat(100) }, 123);
    expect(name).toHaveLength(100);
    expect(name).toMatch(/x-pr-123$/);
  });
});
