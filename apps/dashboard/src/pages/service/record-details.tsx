import type { DnsRecord, OptionalDnsRecord, TrackingHost } from '@postern/contracts';
import { Tag, type Tone } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { Notice } from '../../components/notice.js';
import { asSentence } from '../../formatting.js';
import type { StateOfRecord } from './state-of-record.js';

type DomainRecord = DnsRecord | OptionalDnsRecord | TrackingHost['record'];

const NAMES: Readonly<Record<DomainRecord['purpose'], string>> = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  dkim_ed25519: 'DKIM (Ed25519)',
  return_path: 'Return path',
  tracking: 'Tracking host',
};

const TAGS: Readonly<Record<StateOfRecord, readonly [tone: Tone, label: string]>> = {
  found: ['good', 'Found'],
  unchecked: ['plain', 'Not checked yet'],
  awaited: ['warning', 'Waiting for DNS'],
  wrong: ['bad', 'Problem'],
};

interface RecordDetailsProps {
  readonly record: DomainRecord;
  readonly state: StateOfRecord;
}

/** The name and value of a record to publish, and what the last check found. */
export const RecordDetails = ({ record, state }: RecordDetailsProps) => {
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
