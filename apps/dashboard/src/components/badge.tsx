import type {
  Database,
  DatabaseBackup,
  DatabaseRestore,
  Delivery,
  Deployment,
  EmailService,
  HandOverResult,
  LogDrain,
  Member,
  RecipientState,
  Run,
  ScheduledEmail,
  SendingDomain,
  TrackedEmail,
  VerifiedRecipient,
  WebService,
} from '@postern/contracts';
import { formatLabel } from '../formatting.js';

export type Tone = 'good' | 'warning' | 'bad' | 'plain';

type Status =
  | Database['status']
  | DatabaseBackup['status']
  | DatabaseRestore['status']
  | Deployment['status']
  | WebService['status']
  | Delivery['state']
  | EmailService['mode']
  | HandOverResult
  | LogDrain['state']
  | Member['status']
  | RecipientState
  | Run['status']
  | ScheduledEmail['state']
  | SendingDomain['status']
  | TrackedEmail['status']
  | TrackedEmail['mode']
  | VerifiedRecipient['status']
  | 'blocked'
  | 'enabled'
  | 'suspended'
  | 'disabled';

/** The tone of each status; a status that is added to the contracts does not compile until it has one. */
const TONES: Readonly<Record<Status, Tone>> = {
  accepted: 'good',
  active: 'good',
  completed: 'good',
  delivered: 'good',
  live: 'good',
  running: 'good',
  enabled: 'good',
  production: 'good',
  sent: 'good',
  succeeded: 'good',
  verified: 'good',
  awaiting_code: 'warning',
  blocked: 'bad',
  building: 'warning',
  cancelled: 'plain',
  created: 'plain',
  creating: 'warning',
  deleting: 'warning',
  invited: 'warning',
  queued: 'warning',
  releasing: 'warning',
  restarting: 'warning',
  restoring: 'warning',
  rolled_back: 'plain',
  scheduled: 'warning',
  starting: 'warning',
  stopped: 'plain',
  stopping: 'warning',
  superseded: 'plain',
  suspended: 'bad',
  unavailable: 'bad',
  complained: 'bad',
  bounced: 'bad',
  deferred: 'warning',
  disabled: 'bad',
  dropped: 'bad',
  failed: 'bad',
  failing: 'bad',
  handed_over: 'plain',
  held: 'warning',
  not_sent: 'bad',
  pending: 'warning',
  records_lost: 'bad',
  refused: 'bad',
  retry_requested: 'plain',
  sandbox: 'plain',
  sandbox_fallback: 'warning',
  unknown: 'warning',
};

const ICONS: Readonly<Record<Tone, string>> = { good: '✓', warning: '◔', bad: '✕', plain: '•' };

/** Shows a status with an icon and a label, not by colour alone. */
export const Badge = ({ status }: { readonly status: Status }) => <Tag tone={TONES[status]}>{formatLabel(status)}</Tag>;

export const Tag = ({ tone, children }: { readonly tone: Tone; readonly children: string }) => (
  <span class={`badge ${tone}`}>
    <span aria-hidden="true">{ICONS[tone]}</span> {children}
  </span>
);
