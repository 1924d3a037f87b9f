import type { Log } from '@postern/messaging';
import { OutboundGuard } from '@postern/outbound';
import { KEPT_FRAMES } from '../../testing/kept-frames.js';
import { testNetworks } from '../../testing/test-networks.js';
import { assembleLocalBuilds, type LocalBuildsAssembly, type LocalBuildsOptions } from '../assemble-local-builds.js';

const silentLog: Log = { info() {}, warn() {}, error() {} };

export type FixtureOptions = Partial<
  Pick<LocalBuildsOptions, 'limits' | 'times' | 'use' | 'minimumAgeMs' | 'variables' | 'guard' | 'uploads'>
>;

export const assembleForTests = async (home: string, options: FixtureOptions): Promise<LocalBuildsAssembly> =>
  assembleLocalBuilds({
    platformHome: home,
    network: await testNetworks(home),
    sandboxFrames: KEPT_FRAMES,
    allowFileRepositories: true,
    guard: new OutboundGuard({ allowPrivate: true }),
    instanceLimits: { memoryBytes: 2 ** 29, cpuMillicores: 1_000, tasks: 128, diskBytes: 2 ** 30 },
    log: silentLog,
    ...options,
  });
