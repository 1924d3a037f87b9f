import type { DataOf, emailAccepted, emailHandedOver } from '@postern/contracts';
import type { OwnBounceRule } from './own-bounce-rules.js';

/** What email-send said when it accepted the email, as far as this service uses it. */
export type EmailFacts = Omit<DataOf<typeof emailAccepted>, 'workspace_id' | 'counts_on_shared_sender'>;

/** The answer of the relay to one copy. */
export type HandOver = DataOf<typeof emailHandedOver>['outcomes'][number];

/** The `link` of an open, which has none. */
export const NO_LINK = '';

/** Opens or clicks of one recipient, by people or by machines; kept to limit and deduplicate them. */
export type Engagements = readonly { readonly link: string; readonly timeMs: number }[];

/** The known facts about one recipient's copy. Facts are only added, so the order of signals does not change the result. */
export interface Copy {
  readonly index: number;
  readonly address: string;
  /** When the relay accepted the copy. */
  readonly handedOverAt: string | null;
  readonly deliveredAt: string | null;
  readonly bounced: boolean;
  /** The last classification of the bounce; null before a bounce. */
  readonly bounce: { readonly type: 'hard' | 'soft'; readonly reason: string; readonly rule?: string } | null;
  readonly noticesNotUnderstood: number;
  readonly complained: boolean;
  /** When the recipient unsubscribed; repeatedly, because the owner may have removed the address from the list since. */
  readonly unsubscribedAt: readonly string[];
  /** The copy was delivered, bounced or never sent, or its deadline passed; see `isSettled`. */
  readonly settled: boolean;
  readonly personOpens: Engagements;
  readonly machineOpens: Engagements;
  readonly personClicks: Engagements;
  readonly machineClicks: Engagements;
}

/** The state of one tracked email. */
export interface TrackedEmail {
  readonly facts: EmailFacts | undefined;
  readonly copies: ReadonlyMap<number, Copy>;
  /** The end of the hand-over; `recorded` replaces `interrupted`, never the reverse. */
  readonly conclusion: 'none' | 'interrupted' | 'recorded';
  /** The `eventTimeKey` of every public event so far. */
  readonly eventTimes: ReadonlySet<string>;
  /** The `retryKey` of every retry of a copy so far. */
  readonly retries: ReadonlySet<string>;
  /** The bounce rules of the email service at the time of a decision, in the order in which they are read; no event sets them. */
  readonly ownRules: readonly OwnBounceRule[];
}

const NONE: Engagements = [];

export const UNTRACKED: TrackedEmail = {
  facts: undefined,
  copies: new Map(),
  conclusion: 'none',
  eventTimes: new Set(),
  retries: new Set(),
  ownRules: [],
};

/** A copy is retried at most once at a time. */
export const retryKey = ({ index, at }: Pick<HandOver, 'index' | 'at'>): string => `${index} ${at}`;

export const copyOf = ({ index, address }: EmailFacts['recipients'][number]): Copy => ({
  index,
  address,
  handedOverAt: null,
  deliveredAt: null,
  bounced: false,
  bounce: null,
  noticesNotUnderstood: 0,
  complained: false,
  unsubscribedAt: [],
  settled: false,
  personOpens: NONE,
  machineOpens: NONE,
  personClicks: NONE,
  machineClicks: NONE,
});

/** Whether nothing more is expected. An open or click by a person proves delivery even without a notification. */
export const isSettled = ({ settled, personOpens, personClicks }: Copy): boolean =>
  settled || personOpens.length > 0 || personClicks.length > 0;

export const withEngagement = (engagements: Engagements, link: string, at: string): Engagements => [
  ...engagements,
  { link, timeMs: Date.parse(at) },
];
