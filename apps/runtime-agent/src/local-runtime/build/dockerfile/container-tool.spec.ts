import { describe, expect, it } from '@jest/globals';
import { machineWith } from '../../../infrastructure/builders/testing/machine-with.js';
import { findContainerTool } from './container-tool.js';

describe('The container tool of a host', () => {
  it.each([
    [['buildah'], 'buildah'],
    [['podman'], 'podman'],
    [['podman', 'buildah'], 'buildah'],
  ])('with %j is %s', (programs, tool) => {
    expect(findContainerTool(machineWith(...programs), true)).toEqual({ tool });
  });

  it('is missing if none is installed, with the advice to install one', () => {
    const missing = 'this machine has no container tool: install Podman or Buildah on it';
    expect(findContainerTool(machineWith('docker', 'node'), true)).toEqual({ missing });
  });

  it('is missing if root does not isolate web services, with the advice to start Postern as root', () => {
    const missing =
      'images are built and run only in namespaces that root creates: start Postern as root; `npx postern doctor` lists what is not isolated';
    expect(findContainerTool(machineWith('buildah'), false)).toEqual({ missing });
  });
});
