import type { LogLine } from './runtime.js';

/** Reads a log forwards, in the order in which its lines were stored. */
export interface LogPageQuery {
  /** The id after which the page begins; undefined for the last `tail` lines. */
  readonly after?: string | undefined;
  readonly tail: number;
  /** Only lines of this instance; the page then ends early if many lines of others are in between. */
  readonly instance?: string | undefined;
  /** Unix seconds: without `after`, the page begins with the first line at or after it, instead of the last `tail`. */
  readonly since?: number | undefined;
  readonly maxLines: number;
  /** Limit for the stored size of the lines; a page has at least one line, if there is one. */
  readonly maxBytes: number;
  /** Whether to count the lines before and after the end of the page, which reads the rest of the log. */
  readonly counted?: boolean | undefined;
}

/** Numbers of lines of a log since it began, including lines that were deleted. */
export interface LogCounts {
  readonly before: number;
  readonly after: number;
}

/** A line with its position in the log. */
export interface StoredLogLine extends LogLine {
  readonly id: string;
}

export interface LogPage {
  readonly lines: readonly StoredLogLine[];
  /** The id after which the next page begins; also set if the log has no lines. */
  readonly next: string;
  /** Whether the log has lines after this page. */
  readonly hasMore: boolean;
  /** Whether lines after `after` may have been deleted before they were read. */
  readonly isIncomplete: boolean;
  /** The lines before and after `next`; only if they were requested. */
  readonly counts?: LogCounts | undefined;
}
