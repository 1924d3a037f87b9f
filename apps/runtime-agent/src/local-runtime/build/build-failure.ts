import { BuildFailed, type CommitDescription, SourceUnavailable } from '@postern/runtime';

/** The error of a build whose cause its owner can change; any other error as it is. */
export const toBuildFailure = (error: unknown, description?: CommitDescription): unknown => {
  if (error instanceof SourceUnavailable || error instanceof BuildFailed)
    return new BuildFailed(error.message, description);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'E2BIG') return new BuildFailed('the variables are too large to be handed to a process', description);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BuildFailed('the disk is full', description);
  return error;
};
