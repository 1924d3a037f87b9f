import type { DnsRecord, OptionalDnsRecord, SendingDomain } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ActionButton, ConfirmButton } from '../../components/action-button.js';
import { Badge, Tag, type Tone } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { Notice } from '../../components/notice.js';
import { Time } from '../../components/time.js';
import { asSentence } from '../../formatting.js';
import { DomainReports } from './domain-reports.js';
import { type StateOfRecord, stateOfRecord } from './state-of-record.js';

interface DomainCardProps {
  readonly domain: SendingDomain;
  readonly path: string;
  readonly onChanged: (domain: SendingDomain) => void;
  readonly onDeleted: () => void;
}

/** One sending domain with the status of its DNS records and its actions. */
export const DomainCard = ({ domain, path, onChanged, onDeleted }: DomainCardProps) => {
  const post = (action: string) => async () => onChanged(await api.post<SendingDomain>(`${path}/${action}`));
  const remove = async () => {
    await api.delete(path);
    onDeleted();
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>
          {domain.domain} <Badge status={domain.status} />
        </h2>
        <div class="actions">
          <ActionButton class="primary" label={`Verify: ${domain.domain}`} work={post('verify')}>
            Verify
          </ActionButton>
          <ConfirmButton
            label={`Rotate key: ${domain.domain}`}
            question={`Rotate the DKIM key of ${domain.domain}?`}
            consequence="You need to publish a new DNS record. Messages are signed with the current key until that record is found, and with the new key afterwards."
            confirm="Rotate key"
            class="quiet"
            work={post('rotate')}
          >
            Rotate key
          </ConfirmButton>
          <ConfirmButton
            label={`Delete ${domain.domain}`}
            question={`Delete ${domain.domain}?`}
            consequence="Messages from this domain are treated as unverified immediately, and its DKIM key is deleted. This cannot be undone."
            confirm="Delete domain"
            work={remove}
          >
            Delete
          </ConfirmButton>
        </div>
      </div>
      {domain.status === 'records_lost' && (
        <Notice kind="warning">
          Some DNS records of this verified domain are missing. You can still send from it, but receivers may reject its
          mail. Restore the records below, then verify again.
        </Notice>
      )}
      {domain.status === 'pending' && (
        <p>
          Create these records at your DNS provider. If it adds the domain to names by itself, enter them without “.
          {domain.domain}”. DNS changes can take an hour to be visible.
        </p>
      )}
      <p class="about">
        Last checked: {domain.last_checked_at ? <Time at={domain.last_checked_at} /> : 'never'}
        {domain.next_check_at && (
          <>
            {' · '}Next check: <Time at={domain.next_check_at} />
          </>
        )}
        {domain.verified_at && (
          <>
            {' · '}Verified: <Time at={domain.verified_at} />
          </>
        )}
      </p>
      <ul class="records">
        {domain.records.map(record => (
          <li key={`${record.purpose} ${record.name}`}>
            <RecordDetails record={record} state={stateOfRecord(record, domain.status)} />
          </li>
        ))}
      </ul>
      <OptionalRecords records={domain.optional_records ?? []} />
      <p>
        <a href={`/dashboard/api${path}/zone-file`} download>
          Download all records as a zone file
        </a>
      </p>
      {domain.status !== 'pending' && <DomainReports path={path} domain={domain.domain} />}
    </section>
  );
};

/** Optional records of the domain; releases without them send none. */
const OptionalRecords = ({ records = [] }: { readonly records?: readonly OptionalDnsRecord[] }) =>
  records.length === 0 ? null : (
    <details>
      <summary>Optional records</summary>
      <p class="about">
        Optional. The CNAME record improves DMARC results; the Ed25519 record adds a second, modern signature.
      </p>
      <ul class="records">
        {records.map(record => (
          <li key={`${record.purpose} ${record.name}`}>
            <RecordDetails record={record} state={stateOfRecord(record, 'pending')} />
          </li>
        ))}
      </ul>
    </details>
  );

const NAMES: Readonly<Record<OptionalDnsRecord['purpose'] | DnsRecord['purpose'], string>> = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  dkim_ed25519: 'DKIM (Ed25519)',
  return_path: 'Return path',
};

const TAGS: Readonly<Record<StateOfRecord, readonly [tone: Tone, label: string]>> = {
  found: ['good', 'Found'],
  unchecked: ['plain', 'Not checked yet'],
  awaited: ['warning', 'Waiting for DNS'],
  wrong: ['bad', 'Problem'],
};

interface RecordDetailsProps {
  readonly record: DnsRecord | OptionalDnsRecord;
  readonly state: StateOfRecord;
}

const RecordDetails = ({ record, state }: RecordDetailsProps) => {
  const what = NAMES[record.purpose];
  return (
    <>
      <div class="record-head">
        <h3>{what}</h3>
        <Tag tone={TAGS[state][0]}>{TAGS[state][1]}</Tag>
      </div>
      <dl class="record">
        <dt>Type</dt>
        <dd>
          <code>{record.type}</code>
        </dd>
        <dt>Name</dt>
        <dd class="copy-line">
          <code>{record.name}</code>
          <CopyButton text={record.name} what={`the name of the ${what} record`} />
        </dd>
        <dt>Value</dt>
        <dd class="copy-line">
          <code>{record.value}</code>
          <CopyButton text={record.value} what={`the value of the ${what} record`} />
        </dd>
        <dt>Found</dt>
        <dd>
          <Found values={record.found} />
        </dd>
      </dl>
      {record.problem && <Problem state={state}>{asSentence(record.problem)}</Problem>}
    </>
  );
};

const Problem = ({ state, children }: { readonly state: StateOfRecord; readonly children: string }) => {
  if (state === 'awaited') return <p class="hint">{children}</p>;
  return <Notice kind={state === 'found' ? 'plain' : 'warning'}>{children}</Notice>;
};

const Found = ({ values }: { readonly values: DnsRecord['found'] }) => {
  if (values === null) return <>Not checked yet</>;
  if (values.length === 0) return <>Nothing</>;
  return (
    <ul class="bare">
      {values.map(value => (
        <li key={value}>
          <code>{value}</code>
        </li>
      ))}
    </ul>
  );
};
