import type { Deployment } from '@postern/contracts';
import type { Line } from './log-filter.js';

const STREAMS: ReadonlySet<string> = new Set(['build', 'platform']);

/** The lines of the build and the release of a deployment in progress; there is at most one for a web service. */
export const linesOfDeployment = (
  lines: readonly Line[],
  { started_at: from }: Pick<Deployment, 'started_at'>,
): readonly Line[] =>
  from === null ? [] : lines.filter(({ stream, timestamp }) => STREAMS.has(stream) && timestamp >= from);
