import type { DeploymentStage } from '@postern/contracts';

/** The times of a deployment; `resolved_at` and `built_at` are null in deployments of earlier releases. */
export interface StageTimes {
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly resolved_at: Date | null;
  readonly built_at: Date | null;
  readonly finished_at: Date | null;
  readonly rollback_of: string | null;
}

/** The stages that a deployment has reached, in order. Each begins when the one before it ends. */
export const stagesOf = (times: StageTimes): DeploymentStage[] => {
  const { created_at, started_at, resolved_at, built_at, finished_at, rollback_of } = times;
  const begins: readonly (readonly [DeploymentStage['name'], Date | null])[] =
    rollback_of === null
      ? [
          ['queue', created_at],
          ['source', started_at],
          ['build', resolved_at],
          ['release', built_at],
        ]
      : [
          ['queue', created_at],
          ['release', started_at],
        ];
  const reached = begins.flatMap(([name, start]) => (start === null ? [] : [{ name, start }]));
  return reached.map(({ name, start }, index) => ({
    name,
    started_at: start.toISOString(),
    finished_at: (reached[index + 1]?.start ?? finished_at)?.toISOString() ?? null,
  }));
};
