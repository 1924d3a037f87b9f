import type { Machine } from './machine.js';
import type { Project } from './project.js';
import type { Start } from './start.js';

/** How a project is built and started, and by which rules. */
export interface BuildPlan {
  /** The lines of the build log: what was found, and what follows from it. */
  readonly rules: readonly string[];
  /** A shell command; undefined if nothing has to be built. */
  readonly command?: string | undefined;
  /** Variables for the command, in addition to those of every build. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Programs that the machine has to have. */
  readonly needs?: readonly Tool[];
  /** Determines how the result is started if there is no start command and no Procfile; it may inspect the build result. */
  readonly start?: (built: Project) => Promise<Start | undefined>;
  /** Whether `start` replaces a Procfile's `web`, because that command runs only on the platform it was written for. */
  readonly startsInsteadOf?: (web: string) => boolean;
}

export interface Tool {
  readonly program: string;
  /** What to install if the program is missing. */
  readonly install: string;
}

/** Detects the projects of one ecosystem. @throws BuildFailed with advice if such a project cannot be built. */
export type Builder = (project: Project, machine: Machine) => Promise<BuildPlan | undefined>;

export const commandStart = (command: string): Start => ({ kind: 'command', command });

export const staticStart = (folder: string): Start => ({ kind: 'static', folder });
