import { api } from '../../api-client.js';
import type { DnsRecord, SendingDomain } from '../../api-shapes.js';
import { asSentence } from '../../formatting.js';
import { ActionButton, ConfirmButton } from '../../parts/action-button.js';
import { Badge, Mark } from '../../parts/badge.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Notice } from '../../parts/notice.js';
import { Time } from '../../parts/time.js';

interface DomainCardProps {
  readonly domain: SendingDomain;
  readonly path: string;
  readonly onChanged: (domain: SendingDomain) => void;
  readonly onRemoved: () => void;
}

/** One sending domain: its records, what is wrong with them, and what can be done. */
export const DomainCard = ({ domain, path, onChanged, onRemoved }: DomainCardProps) => {
  const write = (what: string) => async () => onChanged(await api.post<SendingDomain>(`${path}/${what}`));
  const remove = async () => {
    await api.delete(path);
    onRemoved();
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>
          {domain.domain} <Badge status={domain.status} />
        </h2>
        <div class="actions">
          <ActionButton class="primary" label={`Verify ${domain.domain} now`} work={write('verify')}>
            Verify now
          </ActionButton>
          <ConfirmButton
            label={`Rotate the DKIM key of ${domain.domain}`}
            question={`Make a new DKIM key for ${domain.domain}?`}
            consequence="A further record has to be published. Signing goes over to the new key once that record is found; the old one serves until then."
            confirm="Make a new key"
            class="quiet"
            work={write('rotate')}
          >
            Rotate key
          </ConfirmButton>
          <ConfirmButton
            label={`Remove ${domain.domain}`}
            question={`Remove ${domain.domain}?`}
            consequence="Messages from this domain are treated as from an unverified one from this moment on, and its key is lost."
            confirm="Remove the domain"
            work={remove}
          >
            Remove
          </ConfirmButton>
        </div>
      </div>
      {domain.status === 'records_lost' && (
        <Notice kind="warning">
          This domain was verified and its records are not all there any more. It stays usable, but receivers may refuse
          its mail.
        </Notice>
      )}
      <p class="about">
        Last checked: {domain.last_checked_at ? <Time at={domain.last_checked_at} /> : 'not yet'}
        {domain.verified_at && (
          <>
            {' · '}verified: <Time at={domain.verified_at} />
          </>
        )}
      </p>
      <ul class="records">
        {domain.records.map(record => (
          <li key={`${record.purpose} ${record.name}`}>
            <RecordOf record={record} />
          </li>
        ))}
      </ul>
    </section>
  );
};

const RecordOf = ({ record }: { readonly record: DnsRecord }) => {
  const what = record.purpose.toUpperCase();
  return (
    <>
      <div class="record-head">
        <h3>{what}</h3>
        <RecordMark record={record} />
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

const RecordMark = ({ record }: { readonly record: DnsRecord }) => {
  if (record.ok) return <Mark standing="good">Found</Mark>;
  return record.found === null ? <Mark standing="plain">Not checked yet</Mark> : <Mark standing="bad">Problem</Mark>;
};

const Found = ({ values }: { readonly values: DnsRecord['found'] }) => {
  if (values === null) return <>Not looked up yet</>;
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
