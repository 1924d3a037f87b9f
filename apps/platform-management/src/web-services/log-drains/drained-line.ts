import type { StoredLogLine } from '@postern/runtime';

/** A line as receivers get it. */
export interface DrainedLine extends StoredLogLine {
  /** The deployment that was live when the line was written, or that a line of a build belongs to. */
  readonly deploymentId: string | undefined;
}

/** The web service whose lines are sent. */
export interface DrainedService {
  readonly webServiceId: string;
  readonly name: string;
}

/** A deployment as the read model stores it. */
export interface DeploymentTimes {
  readonly id: string;
  readonly wasLive: boolean;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** Adds its deployment to each line; `deployments` are newest first. */
export const withDeployments = (
  lines: readonly StoredLogLine[],
  deployments: readonly DeploymentTimes[],
): DrainedLine[] => lines.map(line => ({ ...line, deploymentId: deploymentOf(line, deployments)?.id }));

const deploymentOf = ({ stream, timestamp }: StoredLogLine, deployments: readonly DeploymentTimes[]) =>
  stream === 'build'
    ? deployments.find(
        ({ startedAt, finishedAt }) =>
          startedAt !== null && startedAt <= timestamp && (finishedAt === null || finishedAt >= timestamp),
      )
    : deployments.find(({ wasLive, finishedAt }) => wasLive && finishedAt !== null && finishedAt <= timestamp);
