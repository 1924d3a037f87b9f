import type { Machine } from '../../../infrastructure/builders/machine.js';

/** The programs that build images without a daemon. Both use the build engine of Buildah and its options. */
const TOOLS = ['buildah', 'podman'] as const;

export type ContainerTool = (typeof TOOLS)[number];

/** The container tool of a host, or the reason why there is none, with a fix. */
export type ContainerToolAnswer = { readonly tool: ContainerTool } | { readonly missing: string };

/** @param isIsolated whether Postern runs as root and isolates web services with namespaces and separate users. */
export const findContainerTool = (machine: Machine, isIsolated: boolean): ContainerToolAnswer => {
  const tool = TOOLS.find(name => machine.has(name));
  if (tool === undefined) return { missing: `${machine.name} has no container tool: install Podman or Buildah on it` };
  if (!isIsolated)
    return {
      missing:
        'images are built and run only in namespaces that root creates: start Postern as root; `npx postern doctor` lists what is not isolated',
    };
  return { tool };
};
