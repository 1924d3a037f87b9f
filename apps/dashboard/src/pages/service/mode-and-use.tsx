import type { EmailService } from '@postern/contracts';
import { Badge } from '../../components/badge.js';
import type { Column } from '../../components/data-table.js';
import { formatCount } from '../../formatting.js';

type Shown = Pick<EmailService, 'mode' | 'enabled' | 'sent_today' | 'daily_limit'>;

/** Sandbox or production, and whether the email service is disabled. */
export const ModeBadges = ({ of: { mode, enabled } }: { readonly of: Pick<Shown, 'mode' | 'enabled'> }) => (
  <>
    <Badge status={mode} /> {!enabled && <Badge status="disabled" />}
  </>
);

/** Columns of every list of email services. */
export const MODE_AND_USE: readonly Column<Shown>[] = [
  { title: 'Mode', cell: service => <ModeBadges of={service} /> },
  {
    title: 'Sent today',
    numeric: true,
    cell: ({ sent_today, daily_limit }) => `${formatCount(sent_today)} of ${formatCount(daily_limit)}`,
  },
];
