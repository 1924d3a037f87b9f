import type { ResolvedVariable, Variable } from '@postern/contracts';

export interface EnvironmentRow extends ResolvedVariable {
  /** The variable of the web service, which can be edited and deleted here. */
  readonly variable: Variable | undefined;
}

/** What a start of the web service would use, with its own variables. */
export const environmentRows = (
  resolved: readonly ResolvedVariable[],
  variables: readonly Variable[],
): readonly EnvironmentRow[] =>
  resolved.map(each => ({
    ...each,
    variable: each.origin === 'variable' ? variables.find(({ key }) => key === each.key) : undefined,
  }));

/** The keys that the running instances do not have with this value. */
export const waitingKeys = (resolved: readonly ResolvedVariable[]): readonly string[] =>
  resolved.filter(({ running }) => running === false).map(({ key }) => key);
