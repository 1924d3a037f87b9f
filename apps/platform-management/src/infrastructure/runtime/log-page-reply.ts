import type { followLogs, ReplyOf } from '@postern/contracts';
import type { LogPage } from '@postern/runtime';

/** Maps a page of a log to the contract. */
export const logPageReply = ({ lines, next, hasMore, isIncomplete }: LogPage): ReplyOf<typeof followLogs> => ({
  lines: lines.map(({ timestamp, ...line }) => ({ timestamp: timestamp.toISOString(), ...line })),
  next,
  has_more: hasMore,
  is_incomplete: isIncomplete,
});
