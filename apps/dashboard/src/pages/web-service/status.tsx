import type { WebService } from '../../api-shapes.js';
import { Badge } from '../../parts/badge.js';

/** The status of a web service, and what an operator has decided about it. */
export const Flags = ({ of: { status, blocked, suspended } }: { readonly of: WebService }) => (
  <>
    <Badge status={status} /> {blocked && <Badge status="blocked" />} {suspended && <Badge status="suspended" />}
  </>
);

/** Whether the status will change by itself. */
export const isMoving = ({ status }: WebService): boolean =>
  status === 'starting' || status === 'restarting' || status === 'stopping';
