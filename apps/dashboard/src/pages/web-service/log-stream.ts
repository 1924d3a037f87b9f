import { useEffect, useState } from 'preact/hooks';
import type { Line } from './log-filter.js';

/** The newest lines are kept. */
const MOST_KEPT = 5_000;

/** The state of a followed log. */
export interface FollowedLog {
  /** Undefined until the stream has begun. */
  readonly lines: readonly Line[] | undefined;
  /** The reason of the server why there are no more lines. */
  readonly ended: string | undefined;
  readonly connected: boolean;
}

const NOTHING: FollowedLog = { lines: undefined, ended: undefined, connected: false };

/**
 * Follows the log at an API path with server-sent events, as far back as `tail`; undefined closes the stream. The browser
 * reconnects automatically and continues after the last line.
 */
export const useLogStream = (path: string | undefined, tail: number): FollowedLog => {
  const [log, setLog] = useState(NOTHING);
  useEffect(() => {
    setLog(NOTHING);
    if (path === undefined) return undefined;
    const source = new EventSource(`/dashboard/api${path}?tail=${tail}`);
    let arrived: Line[] = [];
    let frame = 0;
    // Many lines arrive at once, so they are shown together.
    const show = () => {
      frame = 0;
      const lines = arrived;
      arrived = [];
      setLog(last => ({ ...last, connected: true, lines: [...(last.lines ?? []), ...lines].slice(-MOST_KEPT) }));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(show);
    };
    source.onopen = soon;
    source.onmessage = ({ data, lastEventId }) => {
      arrived.push({ ...(JSON.parse(data) as Line), id: lastEventId });
      soon();
    };
    source.onerror = () => setLog(last => ({ ...last, connected: false }));
    source.addEventListener('end', event => {
      source.close();
      const { reason } = JSON.parse((event as MessageEvent<string>).data) as { reason: string };
      setLog(last => ({ ...last, connected: false, ended: reason }));
    });
    return () => {
      source.close();
      cancelAnimationFrame(frame);
    };
  }, [path, tail]);
  return log;
};
