/** The stages of a message, causes before effects, each with the stages that precede it. */
const EARLIER = {
  acceptance: [],
  deferral: ['acceptance'],
  hand_over: ['acceptance', 'deferral'],
  /** A hand-over that was not recorded and is inferred from a later report. */
  inferred_hand_over: ['acceptance', 'deferral', 'hand_over'],
  arrival: ['acceptance', 'deferral', 'hand_over', 'inferred_hand_over'],
  report: ['acceptance', 'deferral', 'hand_over', 'inferred_hand_over'],
  reaction: ['acceptance', 'deferral', 'hand_over', 'inferred_hand_over', 'arrival'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Stage = keyof typeof EARLIER;
const STAGES = Object.keys(EARLIER) as readonly Stage[];

/** Less than the resolution of entries, so that a simultaneous effect follows its cause. */
const TICK_MS = 0.001;

/** An entry that concerns one recipient or, where `recipient` is null, all of them. */
export interface StagedEntry {
  readonly at: string;
  readonly recipient: string | null;
  readonly stage: Stage;
}

/**
 * Sorts by time, but places no effect before its cause: clocks differ, and interruptions are detected late. An entry
 * that is older than its causes directly follows them.
 */
export function inCausalOrder<Entry extends StagedEntry>(entries: readonly Entry[]): Entry[] {
  const latest = new Map<string, number>();
  const placed = STAGES.flatMap(stage =>
    entries.flatMap((entry, order) => {
      if (entry.stage !== stage) return [];
      const { recipient } = entry;
      const causes = EARLIER[stage].flatMap(earlier => [`${earlier} null`, `${earlier} ${recipient}`]);
      const time = Math.max(Date.parse(entry.at), ...causes.map(key => (latest.get(key) ?? 0) + TICK_MS));
      const key = `${stage} ${recipient}`;
      // The first of several hand-overs of a copy can already cause its delivery.
      latest.set(key, (stage === 'hand_over' ? Math.min : Math.max)(time, latest.get(key) ?? time));
      return [{ entry, time, order }];
    }),
  );
  return placed.sort((a, b) => a.time - b.time || a.order - b.order).map(({ entry }) => entry);
}
