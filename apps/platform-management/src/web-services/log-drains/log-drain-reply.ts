import type { LogDrain } from '@postern/contracts';
import type { LogDrainRow } from './log-drains.js';

/** Maps a log drain to the reply of the contracts. */
export const logDrainReply = (row: LogDrainRow): LogDrain => {
  const state = row.disabledAt ? 'disabled' : row.failingSince ? 'failing' : 'active';
  return {
    id: row.id,
    web_service_id: row.webServiceId,
    kind: row.kind,
    url: row.shownUrl,
    header_names: [...row.headerNames],
    state,
    failing_since: row.failingSince?.toISOString() ?? null,
    last_error: row.lastError,
    last_delivered_at: row.lastDeliveredAt?.toISOString() ?? null,
    next_attempt_at: state === 'failing' ? row.nextAttemptAt.toISOString() : null,
    lines_waiting: row.linesWaiting,
    lines_lost: row.linesLost,
    created_at: row.createdAt.toISOString(),
  };
};
