import type { Deployment, DeploymentStage } from '@postern/contracts';
import { ACTIVE } from './deployment-status.js';

/** A stage as it is shown, also if the deployment has not reached it. */
export interface ShownStage {
  readonly title: string;
  readonly state: 'done' | 'active' | 'failed' | 'cancelled' | 'pending';
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

const TITLES: Readonly<Record<DeploymentStage['name'], string>> = {
  queue: 'Queue',
  source: 'Commit',
  build: 'Build',
  release: 'Release',
};

/** The stages that were reached, then those that are still to come if the deployment is in progress. */
export const shownStages = ({ stages = [], status, rollback_of }: Deployment): readonly ShownStage[] => {
  const reached = stages.map(({ name, started_at, finished_at }, index) => {
    const isLast = index === stages.length - 1;
    const state = isLast ? lastState(status, finished_at) : 'done';
    return { title: TITLES[name], state, started_at, finished_at } as const;
  });
  if (!ACTIVE.has(status)) return reached;
  const names =
    rollback_of === null ? (['queue', 'source', 'build', 'release'] as const) : (['queue', 'release'] as const);
  const pending = names
    .slice(stages.length)
    .map(name => ({ title: TITLES[name], state: 'pending', started_at: null, finished_at: null }) as const);
  return [...reached, ...pending];
};

const lastState = (status: Deployment['status'], finishedAt: string | null): ShownStage['state'] => {
  if (finishedAt === null) return 'active';
  if (status === 'failed') return 'failed';
  return status === 'cancelled' ? 'cancelled' : 'done';
};
