import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CopyButton } from '../../components/copy-button.js';
import { Time } from '../../components/time.js';
import { counted } from '../../formatting.js';
import { type Line, levelOf, marked, newLinesAfter, sourceOf, textOf } from './log-filter.js';

interface LogLinesProps {
  readonly lines: readonly Line[];
  /** Whether new lines arrive; the end stays in view as long as the reader is there. */
  readonly following: boolean;
  readonly search?: string;
  /** The time of the lines to show at first. */
  readonly shown?: string;
  /** The address of a line, for its time. */
  readonly linkOf?: (line: Line) => string;
  /** The name of the downloaded file. */
  readonly file?: string;
}

/** Distance from the end, in pixels, at which the reader still counts as being there. */
const AT_END = 24;

/** Lines of a log in a scrollable region, with what one does with them. */
export const LogLines = ({ lines, following, search = '', shown, linkOf, file = 'log.txt' }: LogLinesProps) => {
  const log = useRef<HTMLElement>(null);
  const [wraps, setWraps] = useState(true);
  const { onScroll, arrived, toEnd } = useEnd(log, lines, following);
  useEffect(() => {
    if (shown) log.current?.querySelector('.shown')?.scrollIntoView({ block: 'center' });
  }, [shown]);
  return (
    <>
      <div class="log-tools">
        <CopyButton text={() => textOf(lines)} what="the lines" />
        <button type="button" onClick={() => download(file, textOf(lines))}>
          Download
        </button>
        <button type="button" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
          Wrap lines
        </button>
        <span class="hint">{counted(lines.length, 'line')}</span>
      </div>
      <div class="log-frame">
        <section
          ref={log}
          class={wraps ? 'log' : 'log unwrapped'}
          aria-label="Log lines, oldest first"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
          tabIndex={0}
          onScroll={onScroll}
        >
          {lines.map((line, index) => (
            <p key={line.id ?? `${line.timestamp} ${index}`} class={classOf(line, shown)}>
              {linkOf ? (
                <a href={linkOf(line)} title="Link to this line">
                  <Time at={line.timestamp} exact />
                </a>
              ) : (
                <Time at={line.timestamp} exact />
              )}
              <span class="source">{sourceOf(line)}</span>
              <Message text={line.message} search={search} />
            </p>
          ))}
        </section>
        {arrived > 0 && (
          <button type="button" class="primary new-lines" onClick={toEnd}>
            ↓ {counted(arrived, 'new line')}
          </button>
        )}
      </div>
    </>
  );
};

/** Keeps the end in view while the reader is there, and counts the lines that arrive while they read elsewhere. */
const useEnd = (log: { readonly current: HTMLElement | null }, lines: readonly Line[], following: boolean) => {
  const atEnd = useRef(true);
  const seen = useRef<Line | undefined>(undefined);
  const [arrived, setArrived] = useState(0);
  const last = lines.at(-1);
  const toEnd = () => log.current?.scrollTo({ top: log.current.scrollHeight });
  useLayoutEffect(() => {
    if (!following) return;
    if (atEnd.current) {
      toEnd();
      seen.current = last;
      setArrived(0);
    } else setArrived(newLinesAfter(seen.current, lines));
  }, [following, last]);
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = log.current ?? {};
    atEnd.current = scrollHeight - scrollTop - clientHeight < AT_END;
    if (!atEnd.current) return;
    seen.current = last;
    setArrived(0);
  };
  return { onScroll, arrived: following ? arrived : 0, toEnd };
};

const classOf = (line: Line, shown: string | undefined): string =>
  [line.stream, levelOf(line) === 'error' ? 'error' : '', line.timestamp === shown ? 'shown' : '']
    .filter(Boolean)
    .join(' ');

const Message = ({ text, search }: { readonly text: string; readonly search: string }) => (
  <>
    {marked(text, search).map(({ part, hit }, index) =>
      hit ? <mark key={index}>{part}</mark> : <Fragment key={index}>{part}</Fragment>,
    )}
  </>
);

const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};
