import type { SystemReport } from '@postern/contracts';
import { Tag } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';

type Line = SystemReport['lines'][number];

const ORDER = { bad: 0, warning: 1, good: 2 } as const;
const NAMES = { bad: 'Failed', warning: 'Warning', good: 'Good' } as const;

/** What was checked, the worst first. */
export const Lines = ({ lines }: { readonly lines: readonly Line[] }) => (
  <DataTable
    caption="Checks"
    rows={lines.toSorted((one, other) => ORDER[one.verdict] - ORDER[other.verdict])}
    keyOf={({ check }) => check}
    columns={[
      { title: 'Result', cell: ({ verdict }) => <Tag tone={verdict}>{NAMES[verdict]}</Tag> },
      { title: 'Check', cell: ({ check }) => <strong>{check}</strong> },
      {
        title: 'Found',
        cell: ({ found, advice }) => (
          <>
            {found}
            {advice && <div class="hint">{advice}</div>}
          </>
        ),
      },
    ]}
  />
);
