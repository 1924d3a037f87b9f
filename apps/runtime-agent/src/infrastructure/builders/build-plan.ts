import type { Machine } from './machine.js';
import type { Project } from './project.js';
import type { Start } from './start.js';

/** How a project is built and started, and by which rules. */
export interface BuildPlan {
  /** As the build log states them: what was found, and what follows from it. */
  readonly rules: readonly string[];
  /** For a shell; undefined where nothing has to be built. */
  readonly command?: string | undefined;
  /** What the command needs beside what every build has. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Programs that have to be on this machine. */
  readonly needs?: readonly Tool[];
  /** How the result is started where no start command and no Procfile says it; it may look at what was built. */
  readonly start?: (built: Project) => Promise<Start | undefined>;
  /** Whether `start` takes the place of a Procfile's `web`, which no machine but its platform's can run. */
  readonly startsInsteadOf?: (web: string) => boolean;
}

export interface Tool {
  readonly program: string;
  /** What to install where it is missing. */
  readonly install: string;
}

/** Recognises the projects of one ecosystem. @throws BuildFailed where such a project cannot be built, with the cure. */
export type Builder = (project: Project, machine: Machine) => Promise<BuildPlan | undefined>;

export const commandStart = (command: string): Start => ({ kind: 'command', command });

export const staticStart = (folder: string): Start => ({ kind: 'static', folder });
