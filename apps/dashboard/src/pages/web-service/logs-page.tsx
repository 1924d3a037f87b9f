import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import type { Logs } from '../../api-shapes.js';
import { useLoading, useRepeated } from '../../loading.js';
import { Choice, Switch } from '../../parts/form.js';
import { Loaded } from '../../parts/loaded.js';
import { Empty, Page } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { useWebService } from './web-service-frame.js';

const TAILS = ['100', '500', '2000', '10000'].map(tail => [tail, `The last ${tail} lines`] as const);
const POLL_MS = 2_000;

export const LogsPage = () => {
  const { path } = useWebService();
  const [tail, setTail] = useState('100');
  const [follows, setFollows] = useState(true);
  const logs = useLoading<Logs>(signal => api.get(`${path}/logs`, { tail }, signal), [path, tail]);
  useRepeated(logs, follows ? POLL_MS : undefined);
  return (
    <Page title="Logs">
      <div class="filters">
        <Choice label="How many" value={tail} options={TAILS} onChoice={setTail} />
        <Switch
          label="Follow"
          about="New lines appear every two seconds."
          on={follows}
          busy={false}
          onSwitch={setFollows}
        />
      </div>
      <Loaded of={logs}>
        {({ lines }) =>
          lines.length === 0 ? <Empty>Nothing has been written yet.</Empty> : <Lines lines={lines} follows={follows} />
        }
      </Loaded>
    </Page>
  );
};

interface LinesProps extends Logs {
  readonly follows: boolean;
}

const Lines = ({ lines, follows }: LinesProps) => {
  const log = useRef<HTMLElement>(null);
  const last = lines.at(-1)?.timestamp;
  useEffect(() => {
    if (follows && last) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [follows, last]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
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
