import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** The log line if the Dockerfile of the source is used. */
export const DOCKERFILE_BUILDS = 'Dockerfile found: the image is built from it';

const unused = (reason: string): string => `Dockerfile found: it is not used, because ${reason}`;

export const DOCKERFILE_IS_LINK = unused('it is a link');
export const DOCKERFILE_IS_REPLACED = unused('the web service has a build command');
/** The error if only the unused Dockerfile defines how to start the result of a build command. */
export const DOCKERFILE_STARTS_NOTHING =
  'no start command, and the Dockerfile is not used because a build command is set: set a start command, or remove the build command';
export const NO_START_IN_IMAGE = 'no start command: set one, or add a CMD to the Dockerfile';
/** @param advice what this machine lacks, and how to fix it. */
export const dockerfileCannotBeUsed = (advice: string): string => unused(advice);

export const DOCKERFILE = 'Dockerfile';

/** The type of a Dockerfile of a source; a link if a part of its path is one, and undefined for anything but a file or link. */
export const dockerfileIn = async (directory: string, path = DOCKERFILE): Promise<'file' | 'link' | undefined> => {
  const parts = path.split('/');
  for (const [place] of parts.entries()) {
    const entry = await lstat(join(directory, ...parts.slice(0, place + 1))).catch(() => undefined);
    if (entry?.isSymbolicLink()) return 'link';
    if (place === parts.length - 1) return entry?.isFile() ? 'file' : undefined;
  }
  return undefined;
};

const MAX_STEP_LENGTH = 200;

/** The deployment error for a failed Dockerfile. @param output the last lines of the step. */
export const stepFailure = (instruction: string, why: string, output: readonly string[] | undefined): string => {
  const step = instruction.replaceAll(/\s+/g, ' ').trim();
  const shown = step.length > MAX_STEP_LENGTH ? `${step.slice(0, MAX_STEP_LENGTH)}…` : step;
  return `the Dockerfile failed at step \`${shown}\`: ${why}${output?.length ? `: ${output.join('\n')}` : ''}`;
};

/** Number of output lines of a failed step in the deployment error. */
export const LAST_LINES = 5;
/** Longer lines are omitted, because a truncated line could contain a part of a secret, which would not be masked. */
export const MAX_LINE_LENGTH = 500;
