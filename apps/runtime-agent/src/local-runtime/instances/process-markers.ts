/** Environment variable that identifies all processes of an instance, even if their parent process has ended. */
export const INSTANCE_MARKER = 'POSTERN_INSTANCE';

/** Environment variable that identifies all processes of a build, even if their parent process has ended. */
export const BUILD_MARKER = 'POSTERN_BUILD';
