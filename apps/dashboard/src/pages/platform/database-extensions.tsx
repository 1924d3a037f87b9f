import type { DatabaseExtension, DatabaseWithUsage } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ActionButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { CollapsibleSection, EmptyState } from '../../components/page.js';
import { useLoading } from '../../loading.js';

interface DatabaseExtensionsProps {
  readonly of: DatabaseWithUsage;
  readonly path: string;
}

/** The extensions of PostgreSQL that a database has, and those that can be enabled. */
export const DatabaseExtensions = ({ of: { status }, path }: DatabaseExtensionsProps) => {
  const url = `${path}/extensions`;
  const extensions = useLoading<readonly DatabaseExtension[]>(
    async signal => (status === 'running' ? api.get(url, {}, signal) : []),
    [url, status],
  );
  const enable = async ({ name }: DatabaseExtension) => {
    await api.post(url, { name });
    extensions.reload();
  };
  return (
    <CollapsibleSection
      title="Extensions"
      about="Extensions of PostgreSQL that are installed on the machine of the platform. If one is missing, ask the operator to install its package."
    >
      <Loaded of={extensions}>
        {list =>
          list.length === 0 ? (
            <EmptyState>Extensions are shown while the database is running.</EmptyState>
          ) : (
            <Extensions list={list} enable={enable} />
          )
        }
      </Loaded>
    </CollapsibleSection>
  );
};

interface ExtensionsProps {
  readonly list: readonly DatabaseExtension[];
  readonly enable: (extension: DatabaseExtension) => Promise<void>;
}

const Extensions = ({ list, enable }: ExtensionsProps) => (
  <DataTable
    caption="Extensions that this database has or can enable"
    rows={list}
    keyOf={extension => extension.name}
    columns={[
      {
        title: 'Name',
        cell: ({ name, description }) => (
          <>
            <code>{name}</code>
            {description && <p class="hint long">{description}</p>}
          </>
        ),
      },
      { title: 'Version', cell: ({ version, installed_version }) => installed_version ?? version },
      {
        title: 'Actions',
        buttons: true,
        cell: extension =>
          extension.installed_version === null ? (
            <ActionButton label={`Enable ${extension.name}`} work={() => enable(extension)}>
              Enable
            </ActionButton>
          ) : (
            'Enabled'
          ),
      },
    ]}
  />
);
