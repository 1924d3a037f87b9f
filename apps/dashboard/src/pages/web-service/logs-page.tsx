import type { Logs } from '@postern/contracts';
import { api } from '../../api-client.js';
import { Choice, Switch } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { EmptyState, Page } from '../../components/page.js';
import { SearchField } from '../../components/search-field.js';
import { asSentence, counted } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { BASE, Link, useQuery } from '../../router.js';
import { filtered, instancesIn, type Line } from './log-filter.js';
import { LogLines } from './log-lines.js';
import { useLogStream } from './log-stream.js';
import { useWebService } from './web-service-layout.js';

/** The state of the page in its URL, so that what one sees can be shared. */
const PARAMETERS = ['lines', 'since', 'stream', 'instance', 'level', 'search', 'follow', 'line', 'at'] as const;

const TAILS = ['100', '500', '1000', '5000', '10000'] as const;
/** The most lines before the ones that are followed. */
const MAX_FOLLOWED = 1_000;
const AGES = [
  ['', 'Any time'],
  ['900', 'Last 15 minutes'],
  ['3600', 'Last hour'],
  ['86400', 'Last 24 hours'],
  ['604800', 'Last 7 days'],
] as const;
const STREAMS = [
  ['', 'All output'],
  ['stdout', 'stdout'],
  ['stderr', 'stderr'],
  ['build', 'Builds'],
  ['platform', 'Platform'],
] as const;
const LEVELS = [
  ['', 'All levels'],
  ['warning', 'Warnings and errors'],
  ['error', 'Errors'],
] as const;
/** How long before a linked line the shown lines begin. */
const BEFORE_LINE_S = 300;

type Parameters = Readonly<Record<(typeof PARAMETERS)[number], string>>;

export const LogsPage = () => {
  const { path } = useWebService();
  const [query, setQuery] = useQuery(PARAMETERS);
  const { lines: tail = '', search, since, follow, line } = query;
  // A search covers all stored lines, and a time or a line is in the past.
  const isLive = follow !== 'no' && search === '' && since === '' && line === '';
  return (
    <Page title="Logs">
      <div class="filters">
        <SearchField label="Search" value={search} onSearch={text => setQuery({ search: text, line: '' })} />
        <Choice label="Time" value={since} options={AGES} onChoice={age => setQuery({ since: age, line: '' })} />
        <Choice label="Level" value={query.level} options={LEVELS} onChoice={level => setQuery({ level })} />
        <Choice label="Output" value={query.stream} options={STREAMS} onChoice={stream => setQuery({ stream })} />
        <Switch
          label="Follow"
          about="Shows new lines as they arrive."
          on={isLive}
          busy={false}
          onSwitch={on => setQuery(on ? { follow: '', search: '', since: '', line: '', at: '' } : { follow: 'no' })}
        />
      </div>
      {isLive ? (
        <Live path={path} tail={Math.min(MAX_FOLLOWED, Number(tail) || 100)} query={query} setQuery={setQuery} />
      ) : (
        <Stored path={path} query={query} setQuery={setQuery} />
      )}
    </Page>
  );
};

interface ViewProps {
  readonly path: string;
  readonly query: Parameters;
  readonly setQuery: (changes: Partial<Parameters>) => void;
}

const Live = ({ path, tail, query, setQuery }: ViewProps & { readonly tail: number }) => {
  const { lines, ended, connected } = useLogStream(`${path}/logs/stream`, tail);
  return (
    <>
      {ended !== undefined && <Notice kind="bad">{asSentence(ended)}</Notice>}
      {ended === undefined && !connected && <p class="hint">Connecting…</p>}
      {lines && <Shown path={path} lines={lines} tail={tail} following query={query} setQuery={setQuery} />}
    </>
  );
};

/** The stored lines; a search covers all of them. */
const Stored = ({ path, query, setQuery }: ViewProps) => {
  const { search, since, at, lines: wanted } = query;
  const tail = TAILS.find(option => option === wanted) ?? (at === '' ? '1000' : '10000');
  const filters = {
    tail,
    ...(search === '' ? {} : { search }),
    ...(at === '' ? {} : { since: at }),
    ...(at === '' && since !== '' ? { since: String(Math.floor(Date.now() / 1_000) - Number(since)) } : {}),
  };
  const logs = useLoading<Logs>(signal => api.get(`${path}/logs`, filters, signal), [path, tail, search, since, at]);
  return (
    <Loaded of={logs}>
      {({ lines }) => (
        <Shown path={path} lines={lines} tail={Number(tail)} following={false} query={query} setQuery={setQuery} />
      )}
    </Loaded>
  );
};

interface ShownProps extends ViewProps {
  readonly lines: readonly Line[];
  readonly tail: number;
  readonly following: boolean;
}

const Shown = ({ path, lines, tail, following, query, setQuery }: ShownProps) => {
  const { stream, instance, level, search, line, since, at } = query;
  const shown = filtered(lines, { stream, instance, level, search: '' });
  const instances = instancesIn(lines);
  const older = TAILS.find(option => Number(option) > tail);
  if (lines.length === 0)
    return search || since || at ? (
      <EmptyState>No lines match these filters.</EmptyState>
    ) : (
      <EmptyState>
        No log lines yet. <Link to={`${path}/deployments`}>Deploy</Link> the web service to see its output.
      </EmptyState>
    );
  return (
    <>
      <div class="line">
        {(instances.length > 1 || instance !== '') && (
          <Choice
            label="Instance"
            value={instance}
            options={[['', 'All instances'], ...instances.map(name => [name, name] as const)]}
            onChoice={name => setQuery({ instance: name })}
          />
        )}
        {older !== undefined && lines.length >= tail && (
          <button
            type="button"
            onClick={() => setQuery({ lines: older, ...(Number(older) > MAX_FOLLOWED ? { follow: 'no' } : {}) })}
          >
            Show {counted(Number(older), 'line')}
          </button>
        )}
      </div>
      {shown.length === 0 ? (
        <EmptyState>No lines match these filters.</EmptyState>
      ) : (
        <LogLines
          lines={shown}
          following={following}
          search={search}
          shown={line}
          linkOf={({ timestamp }) => linkTo(path, query, timestamp)}
          file={`logs-${shown.at(-1)?.timestamp ?? ''}.txt`}
        />
      )}
    </>
  );
};

/** The address of a line among its neighbours, with the same filters. */
const linkTo = (path: string, { stream, instance, level, search }: Parameters, timestamp: string): string => {
  const at = String(Math.floor(Date.parse(timestamp) / 1_000) - BEFORE_LINE_S);
  const all = Object.entries({ stream, instance, level, search, line: timestamp, at }).filter(
    ([, value]) => value !== '',
  );
  return `${BASE}${path}/logs?${new URLSearchParams(all)}`;
};
