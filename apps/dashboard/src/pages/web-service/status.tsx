import type { Deployment, WebService } from '@postern/contracts';
import { Badge } from '../../components/badge.js';

/** The status of a web service, and whether an administrator has blocked or suspended it. */
export const StatusBadges = ({ of: { status, blocked, suspended } }: { readonly of: WebService }) => (
  <>
    <Badge status={status} /> {blocked && <Badge status="blocked" />} {suspended && <Badge status="suspended" />}
  </>
);

/** Statuses of deployments in progress. */
export const ACTIVE: ReadonlySet<Deployment['status']> = new Set(['queued', 'building', 'releasing']);

/** The position of a queued deployment. */
export const placeInQueue = (position: number): string =>
  position === 1 ? 'Next in the build queue.' : `Number ${position} in the build queue.`;

/** Whether the status will change without an action. */
export const isTransitional = ({ status }: WebService): boolean =>
  status === 'starting' || status === 'restarting' || status === 'stopping';
