import { join } from 'node:path';

/** By this variable every process of an instance is recognised, whatever became of its parent. */
export const INSTANCE_MARKER = 'POSTERN_INSTANCE';

/** Below its folder the only place that an instance may write to. */
export const temporaryFolder = (instanceFolder: string): string => join(instanceFolder, 'tmp');

/** What an instance's processes begin with, before its owner's variables: nothing of the platform's own environment. */
export const firstEnvironment = (id: string, path: string): Record<string, string> => ({
  PATH: path,
  LANG: 'C.UTF-8',
  [INSTANCE_MARKER]: id,
});

/** What its owner has set, and what only the platform can say. */
export const serviceEnvironment = (
  { id, port, folder }: { readonly id: string; readonly port: number; readonly folder: string },
  variables: Readonly<Record<string, string>>,
): Record<string, string> => ({
  HOME: temporaryFolder(folder),
  TMPDIR: temporaryFolder(folder),
  ...variables,
  PORT: String(port),
  [INSTANCE_MARKER]: id,
});
