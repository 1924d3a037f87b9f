import type { DataOf, emailAccepted } from '@postern/contracts';

export type EmailFacts = DataOf<typeof emailAccepted>;

/** What stands for the link where a visit is an opening. */
export const OPENING = '';

/** Openings or clicks of one recipient by one sort of visitor, as far as the bounds need them. */
export type Visits = readonly { readonly link: string; readonly timeMs: number }[];

/** What is known of one recipient's copy. Only grows, so that the order of arrival does not decide the outcome. */
export interface Copy {
  readonly index: number;
  readonly address: string;
  /** When the relay took it. */
  readonly handedOverAt: string | null;
  readonly deliveredAt: string | null;
  readonly bounced: boolean;
  readonly complained: boolean;
  /** An outcome came, or it was never sent, or its deadline passed; see `isSettled`. */
  readonly settled: boolean;
  readonly personOpenings: Visits;
  readonly machineOpenings: Visits;
  readonly personClicks: Visits;
  readonly machineClicks: Visits;
}

export interface TrackedEmail {
  readonly facts: EmailFacts | undefined;
  readonly copies: ReadonlyMap<number, Copy>;
  /** How the hand-over ended as far as was told; a record of it replaces an interruption, never the reverse. */
  readonly conclusion: 'none' | 'interrupted' | 'recorded';
  /** `<type> <timestamp>` of every outcome, for receivers tell duplicates by message, kind and time alone. */
  readonly outcomeTimes: ReadonlySet<string>;
}

const NO_VISITS: Visits = [];

export const UNTRACKED: TrackedEmail = {
  facts: undefined,
  copies: new Map(),
  conclusion: 'none',
  outcomeTimes: new Set(),
};

export const copyOf = ({ index, address }: EmailFacts['recipients'][number]): Copy => ({
  index,
  address,
  handedOverAt: null,
  deliveredAt: null,
  bounced: false,
  complained: false,
  settled: false,
  personOpenings: NO_VISITS,
  machineOpenings: NO_VISITS,
  personClicks: NO_VISITS,
  machineClicks: NO_VISITS,
});

/** Nothing more is waited for. A person who read the message shows that it arrived, whoever reports it or not. */
export const isSettled = ({ settled, personOpenings, personClicks }: Copy): boolean =>
  settled || personOpenings.length > 0 || personClicks.length > 0;

export const oneMoreVisit = (visits: Visits, link: string, at: string): Visits => [
  ...visits,
  { link, timeMs: Date.parse(at) },
];
