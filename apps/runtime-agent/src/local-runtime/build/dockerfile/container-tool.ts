import type { Machine } from '../../../infrastructure/builders/machine.js';

/** The programs that build images without a daemon. They share the engine of builds and its options. */
const TOOLS = ['buildah', 'podman'] as const;

export type ContainerTool = (typeof TOOLS)[number];

/** What builds images on a machine, or the reason why nothing does, with the cure. */
export type ContainerToolAnswer = { readonly tool: ContainerTool } | { readonly missing: string };

/** @param isIsolated whether root isolates web services on this machine, in namespaces and as users of their own. */
export const findContainerTool = (machine: Machine, isIsolated: boolean): ContainerToolAnswer => {
  const tool = TOOLS.find(name => machine.has(name));
  if (tool === undefined) return { missing: `${machine.name} has no container tool: install Podman or Buildah on it` };
  if (!isIsolated)
    return {
      missing:
        'images are built and run only in namespaces that root makes: start Postern as root; `npx postern doctor` says what is not isolated',
    };
  return { tool };
};
