import { dirname, join } from 'node:path';
import type { Log } from '@postern/messaging';
import { MarkedConfinement } from '../instances/marked-confinement.js';
import { MarkedProcesses } from '../instances/marked-processes.js';
import { plainRedactor } from '../logs/testing/plain-redactor.js';
import type { RuntimeTimes } from '../rolls/runtime-times.js';

/** Everything short enough for a test to see it happen. */
export const QUICK: Partial<RuntimeTimes> = {
  probeTimeoutMs: 1_000,
  firstProbesMs: 20,
  probesMs: 100,
  unhealthyUntilRestartMs: 600,
  drainMs: 1_000,
  graceMs: 1_000,
  samplesMs: 200,
  backoff: { firstMs: 50, longestMs: 500, forgivenAfterMs: 60_000 },
};

/** Of our own, because Node.js cannot read the library's sources, with their decorators, as they are. */
const silentLog: Log = { info() {}, warn() {}, error() {} };

/** What a runtime is assembled from, in the test's process or in one of its own; artefacts are folders of the home. */
export const assemblyFor = (home: string) => ({
  platformHome: home,
  builds: {
    resolveSource: () => Promise.reject(new Error('nothing is fetched here')),
    build: () => Promise.reject(new Error('nothing is built here')),
    retainArtefacts: () => Promise.resolve(),
  },
  launchOf: async (reference: string) => ({
    directory: join(home, 'artefacts', reference),
    argv: ['node', 'server.mjs'],
  }),
  confinement: new MarkedConfinement(new MarkedProcesses()),
  redactor: plainRedactor,
  path: `${dirname(process.execPath)}:/usr/bin:/bin`,
  log: silentLog,
});
