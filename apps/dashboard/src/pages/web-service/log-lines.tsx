import type { Logs } from '@postern/contracts';
import { useEffect, useRef } from 'preact/hooks';
import { Time } from '../../components/time.js';

interface LogLinesProps extends Logs {
  /** Whether to scroll to the end when there are new lines. */
  readonly following: boolean;
}

/** Lines of a log in a scrollable region. */
export const LogLines = ({ lines, following }: LogLinesProps) => {
  const log = useRef<HTMLElement>(null);
  const last = lines.at(-1)?.timestamp;
  useEffect(() => {
    if (following && last) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [following, last]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section ref={log} class="log" aria-label="Log lines, oldest first" tabIndex={0}>
      {lines.map((line, index) => (
        <p key={`${line.timestamp} ${index}`} class={line.stream}>
          <Time at={line.timestamp} exact />
          <span class="source">{line.stream === 'stdout' ? line.instance : `${line.instance} ${line.stream}`}</span>
          {line.message}
        </p>
      ))}
    </section>
  );
};
