import type {
  Database,
  Delivery,
  Deployment,
  EmailService,
  HandOverResult,
  RecipientState,
  SendingDomain,
  TrackedEmail,
  VerifiedRecipient,
  WebService,
} from '../api-shapes.js';
import { formatWords } from '../formatting.js';

export type Standing = 'good' | 'warning' | 'bad' | 'plain';

type Status =
  | Database['status']
  | Deployment['status']
  | WebService['status']
  | Delivery['state']
  | EmailService['mode']
  | HandOverResult
  | RecipientState
  | SendingDomain['status']
  | TrackedEmail['status']
  | TrackedEmail['mode']
  | VerifiedRecipient['status']
  | 'blocked'
  | 'enabled'
  | 'suspended'
  | 'disabled';

/** How each status is to be taken; a new one of the contracts does not compile until it is placed. */
const STANDING: Readonly<Record<Status, Standing>> = {
  accepted: 'good',
  delivered: 'good',
  live: 'good',
  running: 'good',
  enabled: 'good',
  production: 'good',
  sent: 'good',
  verified: 'good',
  awaiting_code: 'warning',
  blocked: 'bad',
  building: 'warning',
  cancelled: 'plain',
  created: 'plain',
  creating: 'warning',
  deleting: 'warning',
  queued: 'warning',
  releasing: 'warning',
  restarting: 'warning',
  rolled_back: 'plain',
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

const SIGN: Readonly<Record<Standing, string>> = { good: '✓', warning: '◔', bad: '✕', plain: '•' };

/** Never by colour alone: a sign and the word say the same. */
export const Badge = ({ status }: { readonly status: Status }) => (
  <Mark standing={STANDING[status]}>{formatWords(status)}</Mark>
);

export const Mark = ({ standing, children }: { readonly standing: Standing; readonly children: string }) => (
  <span class={`badge ${standing}`}>
    <span aria-hidden="true">{SIGN[standing]}</span> {children}
  </span>
);
