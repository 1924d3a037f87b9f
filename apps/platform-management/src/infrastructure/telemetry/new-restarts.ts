/** How often a roll's instances were restarted, as a runtime counts it. */
export interface RestartReading {
  readonly webServiceId: string;
  readonly rollId: string;
  readonly restarts: number;
}

/**
 * Restarts since the last reading, by web service. The first reading of a roll counts nothing, because an earlier leader
 * may have counted it. A lower count means that the runtime started counting again.
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
