import type { SystemReport } from '@postern/contracts';
import { Tag } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { formatBytes, NO_VALUE } from '../../formatting.js';

interface Props {
  readonly server: SystemReport;
}

/** Version, certificate, backup, disk and processes. */
export const ServerSummary = ({ server }: Props) => (
  <>
    <Section title="Server">
      <dl class="record">
        <dt>Release</dt>
        <dd>{server.version}</dd>
        <dt>Certificate</dt>
        <dd>
          {server.certificate ? (
            <>
              valid until <Time at={server.certificate.valid_until} />, issued by {server.certificate.issuer}
            </>
          ) : (
            'none yet'
          )}
        </dd>
        <dt>Backup</dt>
        <dd>
          {server.backup ? (
            <>
              <Time at={server.backup.created_at} />,{' '}
              {server.backup.proven_at ? 'restored as a test and compared' : 'not proven yet'}
            </>
          ) : (
            'none yet'
          )}
        </dd>
        <dt>Disk</dt>
        <dd>
          {server.disk.free_percent}% free ({formatBytes(server.disk.free_bytes)})
        </dd>
        <dt>Growth</dt>
        <dd>
          <Growth server={server} />
        </dd>
      </dl>
    </Section>
    <Section title="Processes">
      <DataTable
        caption="Processes"
        rows={server.units}
        keyOf={({ unit }) => unit}
        columns={[
          { title: 'Unit', cell: ({ unit }) => <code>{unit}</code> },
          { title: 'State', cell: ({ active, state }) => <Tag tone={active ? 'good' : 'bad'}>{state}</Tag> },
          { title: 'Memory', numeric: true, cell: ({ memory }) => memory || NO_VALUE },
          { title: 'Restarts', numeric: true, cell: ({ restarts }) => String(restarts) },
        ]}
      />
    </Section>
    {server.storage && (
      <Section title="Storage">
        <DataTable
          caption="Storage"
          rows={server.storage.parts}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Part', cell: ({ name }) => name },
            { title: 'Size', numeric: true, cell: ({ bytes }) => formatBytes(bytes) },
          ]}
        />
      </Section>
    )}
  </>
);

const Growth = ({ server: { storage } }: Props) => {
  if (!storage || storage.growth_bytes_per_day === null) return <>known after a day</>;
  if (storage.growth_bytes_per_day <= 0) return <>does not grow</>;
  return (
    <>
      {formatBytes(storage.growth_bytes_per_day)} a day
      {storage.full_at && (
        <>
          , full <Time at={storage.full_at} />
        </>
      )}
    </>
  );
};
