import type { WorkspaceQuotas } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { DataTable } from '../components/data-table.js';
import { Choice, Field, Form, type Values } from '../components/form.js';
import { Section } from '../components/page.js';
import { formatCount, formatLabel } from '../formatting.js';
import { useAction } from '../loading.js';

type QuotaName = keyof WorkspaceQuotas;

export const QuotaTable = ({ quotas }: { readonly quotas: WorkspaceQuotas }) => (
  <DataTable
    caption="Quotas of the workspace"
    rows={Object.entries(quotas)}
    keyOf={([name]) => name}
    columns={[
      { title: 'Quota', cell: ([name]) => formatLabel(name) },
      { title: 'Used', numeric: true, cell: ([, { used }]) => (used === null ? 'Per service' : formatCount(used)) },
      { title: 'Limit', numeric: true, cell: ([, { limit }]) => formatCount(limit) },
    ]}
  />
);

interface ChangeQuotaProps {
  readonly path: string;
  readonly quotas: WorkspaceQuotas;
  readonly onChanged: (quotas: WorkspaceQuotas) => void;
}

/** For administrators. */
export const ChangeQuota = ({ path, quotas, onChanged }: ChangeQuotaProps) => {
  const names = Object.keys(quotas) as QuotaName[];
  const [quota, setQuota] = useState<QuotaName>('projects');
  const change = useAction(async ({ limit }: Values) =>
    onChanged(await api.patch(path, { [quota]: limit ? Number(limit) : null })),
  );
  return (
    <Section title="Edit quota" about="Lowering a limit doesn’t delete anything.">
      <Choice
        label="Quota"
        value={quota}
        options={names.map(name => [name, formatLabel(name)] as const)}
        onChoice={name => setQuota(name as QuotaName)}
      />
      <Form action={change} submit="Save" class="line">
        <Field
          label="Limit"
          name="limit"
          type="number"
          min={0}
          max={100_000_000}
          hint={`Leave empty for the default, ${quotas[quota].default_limit}.`}
        />
      </Form>
    </Section>
  );
};
