import { join } from 'node:path';

/** By this variable every process of an instance is recognised, whatever became of its parent. */
export const INSTANCE_MARKER = 'POSTERN_INSTANCE';

/** Below its folder the only place that an instance may write to. */
export const temporaryFolder = (instanceFolder: string): string => join(instanceFolder, 'tmp');

/**
 * All that an instance's process knows of its surroundings: nothing of the platform's own environment, then what its
 * owner has set, then what only the platform can say.
 */
export const instanceEnvironment = (
  instance: { readonly id: string; readonly port: number; readonly folder: string; readonly path: string },
  variables: Readonly<Record<string, string>>,
): Record<string, string> => ({
  PATH: instance.path,
  HOME: temporaryFolder(instance.folder),
  TMPDIR: temporaryFolder(instance.folder),
  LANG: 'C.UTF-8',
  ...variables,
  PORT: String(instance.port),
  [INSTANCE_MARKER]: instance.id,
});
