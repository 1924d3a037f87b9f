/** How often a roll's instances were started anew, as a runtime remembers it. */
export interface RestartReading {
  readonly webServiceId: string;
  readonly rollId: string;
  readonly restarts: number;
}

/**
 * Restarts since the last look, by service. What is seen for the first time is where counting begins, so that a new
 * leader does not count again what an earlier one has counted; a count that fell was begun anew, with what it shows.
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
