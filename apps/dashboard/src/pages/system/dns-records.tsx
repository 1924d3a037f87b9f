import type { SystemReport } from '@postern/contracts';
import { Tag } from '../../components/badge.js';
import { CopyButton } from '../../components/copy-button.js';
import { DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';

type DnsRecord = SystemReport['records'][number];

/** The records to publish, with what the last check found. */
export const DnsRecords = ({ server }: { readonly server: SystemReport }) => {
  const verdictOf = ({ name, type }: DnsRecord) =>
    server.lines.find(({ check }) => check === `${name} ${type}`)?.verdict;
  return (
    <Section
      title="DNS records"
      about="Records of this installation; sending domains have their own. Publish what is missing at your DNS provider."
    >
      <DataTable
        caption="DNS records"
        rows={server.records}
        keyOf={({ name, type, value }) => `${name} ${type} ${value}`}
        columns={[
          {
            title: 'Status',
            cell: record => {
              const verdict = verdictOf(record) ?? 'warning';
              return <Tag tone={verdict}>{{ good: 'Published', bad: 'Missing', warning: 'Not checked' }[verdict]}</Tag>;
            },
          },
          { title: 'Name', cell: ({ name }) => <code>{name}</code> },
          { title: 'Type', cell: ({ type }) => type },
          {
            title: 'Value',
            cell: ({ name, type, value }) => (
              <>
                <code>{value}</code> <CopyButton text={value} what={`${type} record of ${name}`} />
              </>
            ),
          },
          { title: 'Purpose', cell: ({ purpose }) => purpose },
        ]}
      />
    </Section>
  );
};
