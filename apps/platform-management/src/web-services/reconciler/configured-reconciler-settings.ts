import { concurrentBuildsOf } from '@postern/service-host/config';
import type { PlatformManagementConfig } from '../../config.js';
import type { ReconcilerSettings } from './ports.js';

const POLL_MS = 500;
/** Extra time for the runtime to end its own work, because its errors contain the cause. */
const GRACE_MS = 5_000;
/** Longer than the release of a small, healthy web service, which takes a few seconds. */
const PREEMPT_MS = 15_000;
export const RETAIN_MS = 60_000;

/** The settings of the reconciler from the service's configuration. */
export const reconcilerSettings = (config: PlatformManagementConfig): ReconcilerSettings => ({
  deadlines: {
    queueMs: config.platformQueueDeadlineMs,
    buildMs: config.platformBuildDeadlineMs,
    releaseMs: config.platformReleaseDeadlineMs,
    stopMs: config.platformStopDeadlineMs,
    graceMs: GRACE_MS,
    preemptMs: PREEMPT_MS,
  },
  concurrentBuilds: concurrentBuildsOf(config.platformConcurrentBuilds),
  retainedReleases: config.platformRetainedReleases,
  pollMs: POLL_MS,
  reconcileMs: config.platformReconcileMs,
  retainMs: RETAIN_MS,
  unansweringMs: config.platformUnansweringMs,
});
