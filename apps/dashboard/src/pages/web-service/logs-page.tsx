import type { Logs } from '@postern/contracts';
import { useEffect, useId, useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Choice, Switch } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Page } from '../../components/page.js';
import { asSentence } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { Link } from '../../router.js';
import { LogLines } from './log-lines.js';
import { useLogStream } from './log-stream.js';
import { useWebService } from './web-service-layout.js';

const TAILS = ['100', '500', '1000'].map(tail => [tail, `Last ${tail} lines`] as const);
/** Delay after the last change of a search. */
const SEARCH_AFTER_MS = 300;

export const LogsPage = () => {
  const { path } = useWebService();
  const [tail, setTail] = useState('100');
  const [following, setFollowing] = useState(true);
  const [text, setText] = useState('');
  const search = useLater(text.trim(), SEARCH_AFTER_MS);
  const isLive = following && search === '';
  return (
    <Page title="Logs">
      <div class="filters">
        <Choice label="Lines" value={tail} options={TAILS} onChoice={setTail} />
        <Search text={text} onText={setText} />
        <Switch
          label="Follow"
          about="Shows new lines as they arrive."
          on={following}
          busy={false}
          onSwitch={setFollowing}
        />
      </div>
      {isLive ? <Live path={path} tail={Number(tail)} /> : <Stored path={path} tail={tail} search={search} />}
    </Page>
  );
};

/** The value, delayed until it has not changed for `ms`. */
const useLater = (value: string, ms: number): string => {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
};

const Live = ({ path, tail }: { readonly path: string; readonly tail: number }) => {
  const { lines, ended, connected } = useLogStream(`${path}/logs/stream`, tail);
  return (
    <>
      {ended !== undefined && <Notice kind="bad">{asSentence(ended)}</Notice>}
      {ended === undefined && !connected && <p class="hint">Connecting…</p>}
      {lines && (lines.length === 0 ? <NoLines path={path} /> : <LogLines lines={[...lines]} following />)}
    </>
  );
};

interface StoredProps {
  readonly path: string;
  readonly tail: string;
  readonly search: string;
}

/** The current lines; a search covers all stored lines. */
const Stored = ({ path, tail, search }: StoredProps) => {
  const query = search === '' ? { tail } : { tail, search };
  const logs = useLoading<Logs>(signal => api.get(`${path}/logs`, query, signal), [path, tail, search]);
  return (
    <Loaded of={logs}>
      {({ lines }) =>
        lines.length === 0 ? <NoLines path={path} search={search} /> : <LogLines lines={lines} following={false} />
      }
    </Loaded>
  );
};

const NoLines = ({ path, search = '' }: { readonly path: string; readonly search?: string }) =>
  search === '' ? (
    <EmptyState>
      No log lines yet. <Link to={`${path}/deployments`}>Deploy</Link> the web service to see its output.
    </EmptyState>
  ) : (
    <EmptyState>No line contains “{search}”.</EmptyState>
  );

interface SearchProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

const Search = ({ text, onText }: SearchProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Search</label>
      <input
        id={id}
        type="search"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={event => onText(event.currentTarget.value)}
      />
    </div>
  );
};
