import type { Logs } from '@postern/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Choice, Switch } from '../../components/form.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Page } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useLoading, usePolling } from '../../loading.js';
import { useWebService } from './web-service-layout.js';

const TAILS = ['100', '500', '2000', '10000'].map(tail => [tail, `Last ${tail} lines`] as const);
const POLL_MS = 2_000;

export const LogsPage = () => {
  const { path } = useWebService();
  const [tail, setTail] = useState('100');
  const [following, setFollowing] = useState(true);
  const logs = useLoading<Logs>(signal => api.get(`${path}/logs`, { tail }, signal), [path, tail]);
  usePolling(logs, following ? POLL_MS : undefined);
  return (
    <Page title="Logs">
      <div class="filters">
        <Choice label="Lines" value={tail} options={TAILS} onChoice={setTail} />
        <Switch
          label="Follow"
          about="Refreshes every two seconds."
          on={following}
          busy={false}
          onSwitch={setFollowing}
        />
      </div>
      <Loaded of={logs}>
        {({ lines }) =>
          lines.length === 0 ? (
            <EmptyState>No log lines yet.</EmptyState>
          ) : (
            <Lines lines={lines} following={following} />
          )
        }
      </Loaded>
    </Page>
  );
};

interface LinesProps extends Logs {
  readonly following: boolean;
}

const Lines = ({ lines, following }: LinesProps) => {
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
          <Time at={line.timestamp} />
          <span class="source">{line.stream === 'stdout' ? line.instance : `${line.instance} ${line.stream}`}</span>
          {line.message}
        </p>
      ))}
    </section>
  );
};
