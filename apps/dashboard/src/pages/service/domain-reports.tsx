import type { DomainReports as Reports } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { CopyButton } from '../../components/copy-button.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { counted, formatCount } from '../../formatting.js';
import { useLoading } from '../../loading.js';

type Source = Reports['dmarc']['sources'][number];
type Failure = Reports['tls']['failures'][number];
type Report = Reports['reports'][number];

/** The reports of receivers about a domain; loaded when the section is opened. */
export const DomainReports = ({ path, domain }: { readonly path: string; readonly domain: string }) => {
  const [opened, setOpened] = useState(false);
  return (
    <details onToggle={event => setOpened(opened || event.currentTarget.open)}>
      <summary>DMARC and TLS reports</summary>
      {opened && <LoadedReports path={path} domain={domain} />}
    </details>
  );
};

const LoadedReports = ({ path, domain }: { readonly path: string; readonly domain: string }) => {
  const reports = useLoading<Reports>(signal => api.get(`${path}/reports`, {}, signal), [path]);
  return (
    <Loaded of={reports}>
      {value => (
        <>
          <p class="about">
            Receivers report which servers send for {domain}, and whether their messages pass DMARC. Anyone can report,
            so check who did. Reports are kept for 30 days.
          </p>
          <Records records={value.records} domain={domain} />
          {value.reports.length === 0 ? (
            <EmptyState>
              No reports yet. Receivers send them daily, once the DMARC record contains the address.
            </EmptyState>
          ) : (
            <>
              {value.dmarc.messages > 0 && <Sources of={value.dmarc} domain={domain} />}
              {value.tls.sessions > 0 && <Failures of={value.tls} domain={domain} />}
              <h3>Newest reports</h3>
              <DataTable
                caption={`Newest reports about ${domain}`}
                columns={REPORTS}
                rows={value.reports}
                keyOf={keyOf}
              />
            </>
          )}
        </>
      )}
    </Loaded>
  );
};

const PURPOSES = { dmarc: 'DMARC reports', tls: 'TLS reports' } as const;

/** The records that request reports, unless they are published. */
const Records = ({ records, domain }: { readonly records: Reports['records']; readonly domain: string }) => (
  <ul class="records">
    {records
      .filter(({ ok }) => !ok)
      .map(({ purpose, name, value }) => (
        <li key={purpose}>
          <h3>{PURPOSES[purpose]}</h3>
          <p class="about">
            {purpose === 'dmarc'
              ? 'Add the address to your DMARC record, so that receivers report here.'
              : `Only if ${domain} receives mail: publish this TXT record, so that senders report failures of TLS here.`}
          </p>
          <dl class="record">
            <dt>Name</dt>
            <dd class="copy-line">
              <code>{name}</code>
              <CopyButton text={name} what={`the name of the ${PURPOSES[purpose]} record`} />
            </dd>
            <dt>Value</dt>
            <dd class="copy-line">
              <code>{value}</code>
              <CopyButton text={value} what={`the value of the ${PURPOSES[purpose]} record`} />
            </dd>
          </dl>
        </li>
      ))}
  </ul>
);

const Sources = ({ of, domain }: { readonly of: Reports['dmarc']; readonly domain: string }) => (
  <>
    <h3>Sources</h3>
    <p>
      {counted(of.messages, 'message')}: {formatCount(of.passed)} passed DMARC, {formatCount(of.failed)} failed.
    </p>
    <DataTable
      caption={`Servers that sent messages for ${domain}`}
      columns={SOURCES}
      rows={of.sources}
      keyOf={({ source_ip }) => source_ip}
    />
  </>
);

interface ReportedProps {
  readonly by: readonly string[];
  readonly advice: string | null;
  readonly children: string;
}

/** A reported server, its reporters, and advice. */
const Reported = ({ by, advice, children }: ReportedProps) => (
  <>
    <code>{children}</code>
    <p class="hint long">Reported by {by.join(', ')}</p>
    {advice && <p>{advice}</p>}
  </>
);

const SOURCES: readonly Column<Source>[] = [
  {
    title: 'Source',
    cell: ({ source_ip, reporters, advice }) => (
      <Reported by={reporters} advice={advice}>
        {source_ip}
      </Reported>
    ),
  },
  { title: 'Messages', numeric: true, cell: ({ messages }) => formatCount(messages) },
  { title: 'Failed', numeric: true, cell: ({ failed }) => formatCount(failed) },
  { title: 'DKIM aligned', numeric: true, cell: ({ dkim_aligned }) => formatCount(dkim_aligned) },
  { title: 'SPF aligned', numeric: true, cell: ({ spf_aligned }) => formatCount(spf_aligned) },
  {
    title: 'Quarantined or rejected',
    numeric: true,
    cell: ({ disposition }) => formatCount(disposition.quarantine + disposition.reject),
  },
];

const Failures = ({ of, domain }: { readonly of: Reports['tls']; readonly domain: string }) => (
  <>
    <h3>TLS</h3>
    <p>
      {counted(of.sessions, 'connection')}: {formatCount(of.passed)} used TLS, {formatCount(of.failed)} failed.
    </p>
    {of.failures.length > 0 && (
      <DataTable
        caption={`Failures of TLS at the mail servers of ${domain}`}
        columns={FAILURES}
        rows={of.failures}
        keyOf={({ result_type, mail_server }) => `${result_type} ${mail_server}`}
      />
    )}
  </>
);

const FAILURES: readonly Column<Failure>[] = [
  {
    title: 'Mail server',
    cell: ({ mail_server, reporters, advice }) => (
      <Reported by={reporters} advice={advice}>
        {mail_server}
      </Reported>
    ),
  },
  { title: 'Failure', cell: ({ result_type }) => <code>{result_type}</code> },
  { title: 'Connections', numeric: true, cell: ({ sessions }) => formatCount(sessions) },
];

const REPORTS: readonly Column<Report>[] = [
  { title: 'Kind', cell: ({ kind }) => (kind === 'dmarc' ? 'DMARC' : 'TLS') },
  { title: 'Reported by', cell: ({ reporter }) => reporter },
  {
    title: 'Period',
    cell: ({ begins_at, ends_at }) => (
      <>
        <Time at={begins_at} exact /> to <Time at={ends_at} exact />
      </>
    ),
  },
  { title: 'Passed', numeric: true, cell: ({ passed }) => formatCount(passed) },
  { title: 'Failed', numeric: true, cell: ({ failed }) => formatCount(failed) },
  { title: 'Received', cell: ({ received_at }) => <Time at={received_at} /> },
];

const keyOf = ({ kind, reporter, ends_at, received_at }: Report): string =>
  `${kind} ${reporter} ${ends_at} ${received_at}`;
