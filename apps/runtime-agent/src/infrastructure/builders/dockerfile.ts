import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** What the log says where the Dockerfile of the source is used. */
export const DOCKERFILE_BUILDS = 'Dockerfile found: it builds the image';

const unused = (reason: string): string => `Dockerfile found: it is not used, because ${reason}`;

export const DOCKERFILE_IS_LINK = unused('it is a link');
export const DOCKERFILE_IS_REPLACED = unused('the web service has a build command');
/** The error where only the Dockerfile would tell how to start what a build command has built. */
export const DOCKERFILE_STARTS_NOTHING =
  'no start command, and the Dockerfile is not used because a build command is set: set a start command, or remove the build command';
export const NO_START_IN_IMAGE = 'no start command: set one, or add a CMD to the Dockerfile';
/** @param cure what this machine lacks, and what to do about it. */
export const dockerfileCannotBeUsed = (cure: string): string => unused(cure);

/** What the root folder of a source has under the name Dockerfile: other things than files and links count as nothing. */
export const dockerfileIn = async (directory: string): Promise<'file' | 'link' | undefined> => {
  const entry = await lstat(join(directory, 'Dockerfile')).catch(() => undefined);
  if (entry?.isSymbolicLink()) return 'link';
  return entry?.isFile() ? 'file' : undefined;
};

const MOST_STEP_LENGTH = 200;

/** Why a Dockerfile failed, in the words of the deployment. @param output the last lines of the step. */
export const stepFailure = (instruction: string, why: string, output: readonly string[] | undefined): string => {
  const step = instruction.replaceAll(/\s+/g, ' ').trim();
  const shown = step.length > MOST_STEP_LENGTH ? `${step.slice(0, MOST_STEP_LENGTH)}…` : step;
  return `the Dockerfile failed at step \`${shown}\`: ${why}${output?.length ? `: ${output.join('\n')}` : ''}`;
};

/** How many lines of a failed step the deployment shows. */
export const LAST_LINES = 5;
/** A cut line could show a part of a secret, which would not be masked; longer ones are left out. */
export const MOST_LINE_LENGTH = 500;
