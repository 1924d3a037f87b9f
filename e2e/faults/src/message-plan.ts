/** What happens to a copy at and after the relay; the first word of the recipient's address selects it. */
export const OUTCOMES = ['delivered', 'delayed', 'hard', 'soft', 'complained', 'refused', 'unreported'] as const;
export type PlannedOutcome = (typeof OUTCOMES)[number];

const MAILBOXES = 'mailboxes.test';
const ADDRESS = new RegExp(`^(${OUTCOMES.join('|')})\\.(m[0-9a-z]+)\\.(\\d+)@${MAILBOXES}$`);
const MARKER = /\bm[0-9]{6}x[0-9a-z]+\b/;

/** A marker is unique across runs, because an endpoint may receive messages of an earlier run. */
export const markerOf = (number: number, run: string): string => `m${String(number).padStart(6, '0')}x${run}`;

export const addressOf = (outcome: PlannedOutcome, marker: string, index: number): string =>
  `${outcome}.${marker}.${index}@${MAILBOXES}`;

/** The plan encoded in an address; undefined for an address that is not part of the run. */
export const planOf = (address: string): { outcome: PlannedOutcome; marker: string } | undefined => {
  const [, outcome, marker] = ADDRESS.exec(address) ?? [];
  return marker === undefined ? undefined : { outcome: outcome as PlannedOutcome, marker };
};

/** The marker in a subject or a text. */
export const markerIn = (text: string): string | undefined => MARKER.exec(text)?.[0];
