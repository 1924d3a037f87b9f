import type { Platform } from '@postern/sdk';
import type { DashboardApi } from '../dashboard-api.js';

/** The clients that apply a plan, and the ids of what it has created so far. */
export interface Target {
  readonly platform: Platform;
  readonly dashboard: DashboardApi | undefined;
  readonly ids: Map<string, string>;
}

export interface Step {
  readonly action: 'create' | 'change' | 'delete';
  /** Such as `service web`. */
  readonly what: string;
  /** What changes, such as `port: 3000 → 8080`. */
  readonly changes: readonly string[];
  readonly apply: (target: Target) => Promise<unknown>;
}

export interface PlanOptions {
  readonly prune: boolean;
  /** What the plan says beside its own notes. */
  readonly notes?: readonly string[];
  /** Values of secret variables by `service/variable`. They are used for variables that do not exist yet. */
  readonly secrets?: ReadonlyMap<string, string>;
}

export const PROJECT = 'project';
export const idOf = ({ ids }: Target, what: string): string => {
  const id = ids.get(what);
  if (id === undefined) throw new Error(`${what} was not created`);
  return id;
};
