import { describe, expect, it } from '@jest/globals';
import { servicePlanOf } from '@postern/runtime/testing';
import { imageOf, referenceOf } from './artefact-references.js';
import { deployment, type ServiceObjectSettings } from './service-objects.js';

const image = `registry.example.com:5000/postern/web-services@sha256:${'a'.repeat(64)}`;
const built = { image, isByDockerfile: true };

describe('The reference of an image', () => {
  it('is the image itself if no Dockerfile has built it, as in releases without Dockerfile support', () => {
    expect(referenceOf({ image, isByDockerfile: false })).toBe(image);
    expect(imageOf(image)).toEqual({ image, isByDockerfile: false });
  });

  it('marks an image that a Dockerfile has built, and stays valid for container engines', () => {
    const reference = referenceOf(built);
    expect(reference).toMatch(/^[a-z.:0-9]+(?:\/[a-z-]+)+:[a-z]+@sha256:[0-9a-f]{64}$/);
    expect(imageOf(reference)).toEqual(built);
  });
});

describe('The pods of an image', () => {
  const containerOf = (reference: string, startCommand?: string) => {
    const plan = { ...PLAN, artefact: { reference, commit: 'c' }, startCommand };
    const { template } = deployment(plan, SETTINGS).spec as unknown as Templated;
    const { containers, ...pod } = template.spec;
    return { pod, container: containers[0] ?? {} };
  };

  it('are started by the command of the image if a Dockerfile has built it', () => {
    const { container } = containerOf(referenceOf(built));
    expect(container).toMatchObject({ image });
    expect(container).not.toHaveProperty('command');
    expect(container).not.toHaveProperty('workingDir');
  });

  it('pass a start command to a shell, in the WORKDIR of the Dockerfile', () => {
    const { container } = containerOf(referenceOf(built), 'node worker.js');
    expect(container['command']).toEqual(['/bin/sh', '-c', expect.stringContaining('/bin/sh -c'), 'node worker.js']);
    expect(container).not.toHaveProperty('workingDir');
  });

  it('have the same user and the same privileges for both kinds of build', () => {
    const [own, generated] = [containerOf(referenceOf(built)), containerOf(image)];
    expect(own.pod).toEqual(generated.pod);
    expect(own.pod).toMatchObject({ securityContext: { runAsNonRoot: true, runAsUser: 1000 } });
    expect(own.container['securityContext']).toEqual(generated.container['securityContext']);
    expect(own.container['securityContext']).toMatchObject({ readOnlyRootFilesystem: true });
  });
});

interface Templated {
  readonly template: { readonly spec: { readonly containers: readonly Record<string, unknown>[] } };
}

const PLAN = servicePlanOf({ reference: image, commit: 'c' }, { webServiceId: 'shop', rollId: 'first' });

const SETTINGS: ServiceObjectSettings = {
  domain: undefined,
  scheme: 'https',
  ingressClass: undefined,
  gateway: undefined,
  nodeSelector: {},
  pullSecret: undefined,
  memoryMiB: 512,
  cpuMillicores: 1_000,
  drainSeconds: 5,
};
