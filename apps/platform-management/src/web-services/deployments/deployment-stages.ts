import type { DeploymentStage } from '@postern/contracts';

/** The times of a deployment; `resolved_at` and `built_at` are null in deployments of earlier releases. */
export interface StageTimes {
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly resolved_at: Date | null;
  readonly built_at: Date | null;
  readonly finished_at: Date | null;
  readonly rollback_of: string | null;
  /** Of an uploaded source, which is not looked for. */
  readonly upload_digest?: string | null;
}

/** The stages that a deployment has reached, in order. Each begins when the one before it ends. */
export const stagesOf = (times: StageTimes): DeploymentStage[] => {
  const { created_at, finished_at } = times;
  const begins: readonly (readonly [DeploymentStage['name'], Date | null])[] = [
    ['queue', created_at],
    ...workOf(times),
  ];
  const reached = begins.flatMap(([name, start]) => (start === null ? [] : [{ name, start }]));
  return reached.map(({ name, start }, index) => ({
    name,
    started_at: start.toISOString(),
    finished_at: (reached[index + 1]?.start ?? finished_at)?.toISOString() ?? null,
  }));
};

/** What follows the queue. */
const workOf = ({
  started_at,
  resolved_at,
  built_at,
  rollback_of,
  upload_digest,
}: StageTimes): readonly (readonly [DeploymentStage['name'], Date | null])[] => {
  if (rollback_of !== null) return [['release', started_at]];
  if (upload_digest)
    return [
      ['build', started_at],
      ['release', built_at],
    ];
  return [
    ['source', started_at],
    ['build', resolved_at],
    ['release', built_at],
  ];
};
