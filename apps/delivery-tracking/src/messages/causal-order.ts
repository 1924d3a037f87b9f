/** The stages of a message's way, causes before effects, each with those that come before it. */
const EARLIER = {
  acceptance: [],
  deferral: ['acceptance'],
  hand_over: ['acceptance', 'deferral'],
  /** A hand-over that only a later report shows. */
  shown_hand_over: ['acceptance', 'deferral', 'hand_over'],
  arrival: ['acceptance', 'deferral', 'hand_over', 'shown_hand_over'],
  report: ['acceptance', 'deferral', 'hand_over', 'shown_hand_over'],
  reaction: ['acceptance', 'deferral', 'hand_over', 'shown_hand_over', 'arrival'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Stage = keyof typeof EARLIER;
const STAGES = Object.keys(EARLIER) as readonly Stage[];

/** Less than the milliseconds of the entries, so that an effect of the same moment follows its cause. */
const TICK_MS = 0.001;

/** One thing that happened, to one recipient or, where `recipient` is null, to all of them. */
export interface Happening {
  readonly at: string;
  readonly recipient: string | null;
  readonly stage: Stage;
}

/**
 * Sorts by time, but never an effect before its cause: the clocks of services differ, and an interruption is found long
 * after it happened. What has a time before that of its causes is placed right after them.
 */
export function inCausalOrder<Entry extends Happening>(entries: readonly Entry[]): Entry[] {
  const reached = new Map<string, number>();
  const placed = STAGES.flatMap(stage =>
    entries.flatMap((entry, order) => {
      if (entry.stage !== stage) return [];
      const { recipient } = entry;
      const causes = EARLIER[stage].flatMap(earlier => [`${earlier} null`, `${earlier} ${recipient}`]);
      const time = Math.max(Date.parse(entry.at), ...causes.map(key => (reached.get(key) ?? 0) + TICK_MS));
      const key = `${stage} ${recipient}`;
      // Of several hand-overs of a copy the first is enough for its delivery.
      reached.set(key, (stage === 'hand_over' ? Math.min : Math.max)(time, reached.get(key) ?? time));
      return [{ entry, time, order }];
    }),
  );
  return placed.sort((a, b) => a.time - b.time || a.order - b.order).map(({ entry }) => entry);
}
