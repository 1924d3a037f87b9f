import type { System, SystemReport } from '@postern/contracts';
import { api } from '../../api-client.js';
import { useLive } from '../../changes.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notice.js';
import { Page, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { useLoading } from '../../loading.js';
import { useSignedIn } from '../../session.js';
import { DnsRecords } from './dns-records.js';
import { Lines } from './lines.js';
import { ServerSummary } from './server-summary.js';
import { TestMailSection } from './test-mail-section.js';

const RELOAD_MS = 60_000;

/** The state of the installation, for administrators. */
export const SystemPage = () => {
  const { me } = useSignedIn();
  return (
    <Page title="System">
      {me.operator ? (
        <Server />
      ) : (
        <Notice kind="warning">Only administrators can see the state of the server. Ask your administrator.</Notice>
      )}
    </Page>
  );
};

const Server = () => {
  const system = useLoading<System>(signal => api.get('/system', {}, signal), []);
  useLive(system, undefined, RELOAD_MS);
  return (
    <>
      <Loaded of={system}>
        {({ server }) =>
          server ? (
            <Report server={server} />
          ) : (
            <Notice kind="plain">
              There is no report of the server. On one server, the command <code>postern check</code> writes it every
              hour; in a cluster, use <code>postern doctor</code> and the metrics.
            </Notice>
          )
        }
      </Loaded>
      <TestMailSection />
    </>
  );
};

/** A check that did not run for two hours is itself a finding. */
const LATE_MS = 2 * 3_600_000;

const Report = ({ server }: { readonly server: SystemReport }) => {
  const notGood = server.lines.filter(({ verdict }) => verdict !== 'good');
  const isLate = Date.now() - Date.parse(server.checked_at) > LATE_MS;
  return (
    <>
      {isLate && (
        <Notice kind="bad">
          The hourly check last ran <Time at={server.checked_at} />. See{' '}
          <code>systemctl status postern-check.timer</code>.
        </Notice>
      )}
      {server.interrupted && (
        <Notice kind="bad">
          The operation “{server.interrupted}” was interrupted. Continue it on the server: <code>postern resume</code>
        </Notice>
      )}
      {notGood.length === 0 && !isLate && (
        <Notice kind="good">
          All {server.lines.length} checks are good. Checked <Time at={server.checked_at} />.
        </Notice>
      )}
      <ServerSummary server={server} />
      <Section
        title="Checks"
        about={
          <>
            Checked <Time at={server.checked_at} />, and every hour. You get an email when a line changes. To check now,
            run <code>postern check</code> on the server.
          </>
        }
      >
        <Lines lines={server.lines} />
      </Section>
      <DnsRecords server={server} />
    </>
  );
};
