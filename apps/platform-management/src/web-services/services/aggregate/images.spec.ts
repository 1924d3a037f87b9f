import { describe, expect, it } from '@jest/globals';
import { specificationOf } from '@postern/event-sourcing/testing';
import { at, begun, built, changed, created, requested } from '../../../testing/web-service-history.js';
import type { Settings, WebServiceEvent } from './events.js';
import { releaseSettings } from './state.js';
import { webService } from './web-service.js';

const given = specificationOf(webService);
const DIGEST = `sha256:${'a'.repeat(64)}`;
const IN_FULL = `docker.io/library/nginx:1@${DIGEST}`;

const change = (changes: Partial<Settings>) => ({ kind: 'change', userId: 'ada', changes, at }) as const;
const deploy = (more: object = {}) =>
  ({ kind: 'request-deployment', userId: 'ada', deploymentId: 'd2', branch: undefined, at, ...more }) as const;

const withImage = changed({ git_repository_url: null, branch: null, image: 'nginx:1' });
const ofImage = (id: string, image = 'nginx:1'): WebServiceEvent => {
  const of = requested(id);
  return { ...of, data: { ...of.data, branch: null, image } } as WebServiceEvent;
};
const resolvedImage = (id: string): WebServiceEvent => ({
  type: 'platform-management.deployment-source-resolved.v1',
  data: { web_service_id: 'shop', deployment_id: id, branch: null, commit: DIGEST, image: IN_FULL, at },
});
const exposing = (id: string, port: number): WebServiceEvent => {
  const of = built(id);
  return { ...of, data: { ...of.data, port } } as WebServiceEvent;
};

describe('an image', () => {
  it('replaces the repository and the settings of its build, and a repository replaces it', () => {
    given(created, changed({ build_command: 'make', root_directory: 'web' }))
      .when(change({ image: 'nginx:1' }))
      .yields(
        changed({
          git_repository_url: null,
          branch: null,
          build_command: null,
          root_directory: null,
          watch_paths: [],
          build_args: {},
          previews: false,
          image: 'nginx:1',
        }),
      );
    given(created, withImage)
      .when(change({ git_repository_url: 'https://git.example.com/shop.git' }))
      .yields(changed({ git_repository_url: 'https://git.example.com/shop.git', image: null }));
  });

  it.each([
    [{ image: 'nginx', git_repository_url: 'https://git.example.com/shop.git' }, 'image: cannot be combined'],
    [{ image: null }, 'git_repository_url: is required'],
    [{ branch: 'main' }, 'branch: is only for a repository'],
    [{ build_command: 'make' }, 'build_command: is only for a repository'],
    [{ root_directory: 'web' }, 'root_directory: is only for a repository'],
    [{ watch_paths: ['web/**'] }, 'watch_paths: is only for a repository'],
    [{ dockerfile_path: 'Containerfile' }, 'dockerfile_path: is only for a repository'],
    [{ docker_target: 'production' }, 'docker_target: is only for a repository'],
    [{ build_args: { NODE_VERSION: '24' } }, 'build_args: is only for a repository'],
    [{ previews: true }, 'previews: is only for a repository'],
  ])('refuses the change %j', (changes, reason) => {
    given(created, withImage).when(change(changes)).refuses('invalid_input', reason);
  });

  it.each([
    [{ git_repository_url: null }, 'git_repository_url: is required'],
    [{ port: null }, 'port: is required'],
  ])('is the only source without %j', (changes, reason) => {
    given(created).when(change(changes)).refuses('invalid_input', reason);
  });

  it.each([
    { dockerfile_path: 'Containerfile' },
    { docker_target: 'production' },
    { build_args: { NODE_VERSION: '24' } },
  ])('is not built from a Dockerfile with %j and a build command', changes => {
    const reason = `${Object.keys(changes)[0]}: cannot be combined with build_command`;
    given(created, changed({ build_command: 'make' }))
      .when(change(changes))
      .refuses('invalid_input', reason);
    given(created, changed(changes))
      .when(change({ build_command: 'make' }))
      .refuses('invalid_input', reason);
  });

  it('is named by its deployments, with the digest once it is known', () => {
    given(created, withImage).when(deploy()).yields(ofImage('d2'));
    given(created, withImage, ofImage('d2'), begun('d2'))
      .when({ kind: 'resolve-source', deploymentId: 'd2', branch: null, commit: DIGEST, at })
      .yields(resolvedImage('d2'));
  });

  it('cannot be deployed from a branch or an upload', () => {
    const upload = { id: 'u', digest: 'd', size_bytes: 1 };
    given(created, withImage)
      .when(deploy({ branch: 'main' }))
      .refuses('invalid_input', 'branch: the web service deploys an image');
    given(created, withImage).when(deploy({ upload })).refuses('invalid_input', 'deploys an image');
  });

  it('determines the port of a release, unless the web service has one', () => {
    const portAfter = (...events: readonly WebServiceEvent[]) => {
      const state = [created, withImage, ...events].reduce(webService.evolve, webService.initial);
      return releaseSettings(state, state.deployments[0]).port;
    };
    const deployed = [ofImage('d1'), begun('d1'), resolvedImage('d1')];
    expect(portAfter(changed({ port: null }), ...deployed, exposing('d1', 80))).toBe(80);
    expect(portAfter(changed({ port: null }), ...deployed, built('d1'))).toBe(8080);
    expect(portAfter(...deployed, exposing('d1', 80))).toBe(3000);
  });
});
