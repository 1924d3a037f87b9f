import type { DnsRecord, OptionalDnsRecord, TrackingHost } from '@postern/contracts';
import { Tag } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { Notice } from '../../components/notice.js';
import { asSentence } from '../../formatting.js';

type DomainRecord = DnsRecord | OptionalDnsRecord | TrackingHost['record'];

const NAMES: Readonly<Record<DomainRecord['purpose'], string>> = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  dkim_ed25519: 'DKIM (Ed25519)',
  return_path: 'Return path',
  tracking: 'Tracking host',
};

/** The name and value of a record to publish, and what the last check found. */
export const RecordDetails = ({ record }: { readonly record: DomainRecord }) => {
  const what = NAMES[record.purpose];
  return (
    <>
      <div class="record-head">
        <h3>{what}</h3>
        <RecordTag record={record} />
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
      {record.problem && <Notice kind={record.ok ? 'plain' : 'warning'}>{asSentence(record.problem)}</Notice>}
    </>
  );
};

const RecordTag = ({ record }: { readonly record: DomainRecord }) => {
  if (record.ok) return <Tag tone="good">Found</Tag>;
  return record.found === null ? <Tag tone="plain">Not checked yet</Tag> : <Tag tone="bad">Problem</Tag>;
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
