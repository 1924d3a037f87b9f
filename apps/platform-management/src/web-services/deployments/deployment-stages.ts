import type { DeploymentStage } from '@postern/contracts';

/** The times of a deployment; null for what it has not reached. */
export interface StageTimes {
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly resolved_at: Date | null;
  readonly built_at: Date | null;
  readonly finished_at: Date | null;
  readonly rollback_of: string | null;
  readonly upload_digest: string | null;
}

/** The stages that a deployment has reached, in order. Each begins when the one before it ends. */
export const stagesOf = (times: StageTimes): DeploymentStage[] => {
  const { finished_at } = times;
  const reached = begins(times).flatMap(([name, start]) => (start === null ? [] : [{ name, start }]));
  return reached.map(({ name, start }, index) => ({
    name,
    started_at: start.toISOString(),
    finished_at: (reached[index + 1]?.start ?? finished_at)?.toISOString() ?? null,
  }));
};

const begins = (times: StageTimes): readonly (readonly [name: DeploymentStage['name'], at: Date | null])[] => {
  const { created_at, started_at, resolved_at, built_at, rollback_of, upload_digest } = times;
  const queue = ['queue', created_at] as const;
  if (rollback_of !== null) return [queue, ['release', started_at]];
  const release = ['release', built_at] as const;
  // An upload has no commit to find.
  if (upload_digest !== null) return [queue, ['build', started_at], release];
  return [queue, ['source', started_at], ['build', resolved_at], release];
};
