import type { BounceRule } from '@postern/contracts';
import { api } from '../../api-client.js';
import { ConfirmButton } from '../../components/action-button.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { Time } from '../../components/time.js';
import { formatLabel } from '../../formatting.js';
import { useLoading } from '../../loading.js';

interface BounceRulesSectionProps {
  /** Path of the email service in the API. */
  readonly service: string;
}

export const BounceRulesSection = ({ service }: BounceRulesSectionProps) => {
  const path = `${service}/bounce-rules`;
  const rules = useLoading<BounceRule[]>(signal => api.get(path, {}, signal), [path]);
  const remove = async ({ id }: BounceRule) => {
    await api.delete(`${path}/${id}`);
    rules.reload();
  };
  return (
    <Section title="Bounce rules" about="They are read before the rules of Postern, the newest first.">
      <Loaded of={rules}>
        {list =>
          list.length === 0 ? (
            <EmptyState>
              No bounce rules yet. To add one, open a message that bounced and press “This was classified wrongly”.
            </EmptyState>
          ) : (
            <RulesTable rules={list} onRemove={remove} />
          )
        }
      </Loaded>
    </Section>
  );
};

interface RulesTableProps {
  readonly rules: readonly BounceRule[];
  readonly onRemove: (rule: BounceRule) => Promise<void>;
}

const RulesTable = ({ rules, onRemove }: RulesTableProps) => (
  <DataTable
    caption="Bounce rules"
    rows={rules}
    keyOf={rule => rule.id}
    columns={[
      {
        title: 'Reply contains',
        cell: ({ phrase, status_code, domain }) => (
          <span class="long">
            <strong>{phrase}</strong>
            {status_code && <span class="hint"> with code {status_code}</span>}
            {domain && <span class="hint"> from {domain}</span>}
          </span>
        ),
      },
      { title: 'Cause', cell: ({ cause, bounce_type }) => `${formatLabel(cause)} (${bounce_type})` },
      { title: 'Created', cell: rule => <Time at={rule.created_at} /> },
      {
        title: 'Actions',
        buttons: true,
        cell: rule => (
          <ConfirmButton
            label={`Delete the rule: ${rule.phrase}`}
            question="Delete this bounce rule?"
            consequence="Later bounces are classified by the rules of Postern. Bounces that the rule classified stay as they are."
            confirm="Delete rule"
            work={() => onRemove(rule)}
          >
            Delete
          </ConfirmButton>
        ),
      },
    ]}
  />
);
