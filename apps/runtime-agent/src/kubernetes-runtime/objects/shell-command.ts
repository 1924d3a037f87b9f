import { OWN_PATH, SHELL } from '../../infrastructure/builders/start.js';

/** Kubernetes would replace `$(NAME)` by a variable; a shell interprets it differently. */
export const literally = (command: string): string => command.replaceAll('$(', '$$$$(');

/** A shell command that finds programs which the project has installed locally, as npm scripts do. */
export const shellCommand = (command: string): string[] => [
  '/bin/sh',
  '-c',
  literally(`${IN_PROJECT}\n${SHELL}`),
  literally(command),
];

/** The build writes the folder of a project that needs the rest of its repository. The working directory is /app. */
const IN_PROJECT = `if [ -f ../postern/folder ]; then export ${OWN_PATH}; cd -- "$(cat ../postern/folder)" || exit 1; fi`;
