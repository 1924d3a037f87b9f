import type { Deployment } from '@postern/contracts';

/** Statuses of deployments in progress. */
export const ACTIVE: ReadonlySet<Deployment['status']> = new Set(['queued', 'building', 'releasing']);

/** Statuses of deployments that were live, unless they were replaced while they were queued. */
export const REPLACED: ReadonlySet<Deployment['status']> = new Set(['superseded', 'rolled_back']);

/** The position of a queued deployment. */
export const placeInQueue = (position: number): string =>
  position === 1 ? 'Next in the build queue.' : `Number ${position} in the build queue.`;
