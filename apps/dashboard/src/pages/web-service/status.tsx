import type { WebService } from '@postern/contracts';
import { Badge } from '../../components/badge.js';

/** The status of a web service, and whether an administrator has blocked or suspended it. */
export const StatusBadges = ({
  of: { status, blocked, suspended },
}: {
  readonly of: Pick<WebService, 'status' | 'blocked' | 'suspended'>;
}) => (
  <>
    <Badge status={status} /> {blocked && <Badge status="blocked" />} {suspended && <Badge status="suspended" />}
  </>
);
