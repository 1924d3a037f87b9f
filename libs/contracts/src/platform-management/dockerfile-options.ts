import { z } from 'zod';
import { dockerfilePath } from './source-folders.js';

const MAX_BUILD_ARGUMENTS = 50;
const MAX_VALUE_LENGTH = 4_096;

const buildArguments = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an ARG, such as NODE_VERSION'),
    z
      .string()
      .max(MAX_VALUE_LENGTH)
      .refine(value => !value.includes('\0') && value.isWellFormed(), 'must be well-formed Unicode without NUL'),
  )
  .refine(
    values => Object.keys(values).length <= MAX_BUILD_ARGUMENTS,
    `must have at most ${MAX_BUILD_ARGUMENTS} build arguments`,
  );

const stage = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'must be the name of a stage, such as production');

/** How the Dockerfile of a repository is built. */
export const dockerfileOptions = {
  dockerfile_path: dockerfilePath
    .nullable()
    .optional()
    .describe(
      'The Dockerfile that is built, such as `docker/web.Dockerfile`, relative to the `root_directory`, which is the build ' +
        'context; the file `Dockerfile` if absent or null.',
    ),
  docker_target: stage
    .nullable()
    .optional()
    .describe('The stage of the Dockerfile that is built, such as `production`; the last one if absent or null.'),
  build_args: buildArguments
    .nullable()
    .optional()
    .describe(
      'Values of the `ARG` instructions of the Dockerfile, by name; at most 50, each of at most 4,096 characters. ' +
        `\`\${NAME}\` in a value is the variable \`NAME\` of the web service. ` +
        'Everyone who can read the web service can read these values, and the image may contain them.',
    ),
};
