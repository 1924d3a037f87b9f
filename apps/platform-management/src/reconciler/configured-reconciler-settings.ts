import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import type { webServiceSettings } from '../web-services/settings.js';
import type { ReconcilerSettings } from './ports.js';

const POLL_MS = 500;
/** The runtime gets this much longer to end its own work, because its errors name the cause. */
const GRACE_MS = 5_000;
export const RETAIN_MS = 60_000;

/** The settings of the reconciler from the service's configuration. */
export const reconcilerSettings = (
  config: ConfigOf<ConfigDefinition<typeof webServiceSettings>>,
): ReconcilerSettings => ({
  deadlines: {
    queueMs: config.platformQueueDeadlineMs,
    buildMs: config.platformBuildDeadlineMs,
    releaseMs: config.platformReleaseDeadlineMs,
    stopMs: config.platformStopDeadlineMs,
    graceMs: GRACE_MS,
  },
  concurrentBuilds: config.platformConcurrentBuilds,
  retainedReleases: config.platformRetainedReleases,
  pollMs: POLL_MS,
  reconcileMs: config.platformReconcileMs,
  retainMs: RETAIN_MS,
  unansweringMs: config.platformUnansweringMs,
});
