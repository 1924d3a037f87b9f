import { join } from 'node:path';
import type { Log } from '@postern/messaging';
import { OutboundGuard } from '@postern/outbound';
import { SHELL } from '../../infrastructure/builders/start.js';
import { LIMITS, type LocalRuntimeOptions } from '../assemble-local-runtime.js';
import { assembleLocalBuilds, type LocalBuildsOptions } from '../build/assemble-local-builds.js';
import type { InstanceLimits } from '../instances/instance-host.js';
import { redactor } from '../redactor.js';
import { KEPT_FRAMES } from './kept-frames.js';
import { QUICK } from './quick-times.js';
import { testNetworks } from './test-networks.js';

/** Defined here, because Node.js cannot run the TypeScript sources of the library, which contain decorators. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

/**
 * How instances are confined: by all mechanisms of the machine, by all but networks, or only by those of a user without root and control
 * groups.
 */
export type Held = 'by all means' | 'in one network' | 'by marks alone';

const WITHOUT: Record<Held, LocalBuildsOptions['use']> = {
  'by all means': {},
  'in one network': { networks: false },
  'by marks alone': { users: false, cgroups: false, namespaces: false, networks: false },
};

/** The options of a runtime, in the process of the test or in another one. Artefacts are folders of the home. */
export const assemblyFor = async (
  home: string,
  held: Held,
  limits: Partial<InstanceLimits> = {},
): Promise<LocalRuntimeOptions> => {
  const { confinement, path, platformUrl, networks, privateNetwork, images } = await assembleLocalBuilds({
    platformHome: home,
    network: await testNetworks(home),
    sandboxFrames: KEPT_FRAMES,
    allowFileRepositories: true,
    guard: new OutboundGuard({ allowPrivate: true }),
    instanceLimits: { ...LIMITS, ...limits },
    log: silentLog,
    use: WITHOUT[held] ?? {},
  });
  return {
    platformHome: home,
    builds: {
      resolveSource: () => Promise.reject(new Error('nothing is fetched here')),
      build: () => Promise.reject(new Error('nothing is built here')),
      remove: async () => {},
      retainArtefacts: () => Promise.resolve(),
      reconcile: () => Promise.resolve(),
    },
    launchOf: async (reference, start) => ({
      directory: join(home, 'artefacts', reference),
      folder: '.',
      argv: typeof start === 'string' ? ['/bin/sh', '-c', SHELL, start] : ['node', 'server.mjs'],
    }),
    confinement,
    redactor,
    path,
    images,
    platformUrl,
    networks,
    privateNetwork,
    log: silentLog,
    limits,
    times: QUICK,
  };
};
