import { BuildFailed, SourceUnavailable } from '@postern/runtime';

/** The error of a build whose cause its owner can change; any other error as it is. */
export const toBuildFailure = (error: unknown): unknown => {
  if (error instanceof SourceUnavailable) return new BuildFailed(error.message);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'E2BIG') return new BuildFailed('the variables are too large to be handed to a process');
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BuildFailed('the disk is full');
  return error;
};
