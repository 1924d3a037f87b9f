/** The runtime's counter of instance restarts of one roll-out. */
export interface RestartReading {
  readonly webServiceId: string;
  readonly rollId: string;
  readonly restarts: number;
}

/**
 * Restarts since the last reading, by web service. The first reading of a roll-out counts as 0, because an earlier leader
 * may have counted it. A lower value means that the runtime has reset its counter.
 */
export function newRestarts(
  before: readonly RestartReading[],
  now: readonly RestartReading[],
): ReadonlyMap<string, number> {
  const known = new Map(before.map(({ rollId, restarts }) => [rollId, restarts]));
  return new Map(
    now.flatMap(({ webServiceId, rollId, restarts }): [string, number][] => {
      const last = known.get(rollId);
      if (last === undefined || last === restarts) return [];
      const more = restarts > last ? restarts - last : restarts;
      return more === 0 ? [] : [[webServiceId, more]];
    }),
  );
}
