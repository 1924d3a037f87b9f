import type { Machine } from './machine.js';
import type { Project } from './project.js';
import { quoted } from './quoted.js';
import type { Start } from './start.js';

/** How a project is built and started, and by which rules. */
export interface BuildPlan {
  /** The lines of the build log: what was found, and what follows from it. */
  readonly rules: readonly string[];
  /** A shell command; undefined if nothing has to be built. */
  readonly command?: string | undefined;
  /**
   * The folder of the project, in which its commands run; undefined for the root folder. The rest of the repository is kept,
   * because the project needs it.
   */
  readonly folder?: string;
  /** Precedes the command, also that of the owner. */
  readonly runtime?: Runtime | undefined;
  /** Whether the ecosystem only provides tools: nothing of it can be started. */
  readonly isOnlyTools?: boolean;
  /** Whether its manifest names no package. */
  readonly installsNothing?: boolean;
  /** Variables for the command, in addition to those of every build. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Programs that the machine has to have. */
  readonly needs?: readonly Tool[];
  /** The folder into which the build puts programs, of which one is started. */
  readonly programs?: string;
  /** Determines how the result is started if there is no start command and no Procfile; it may inspect the build result. */
  readonly start?: (built: Project) => Promise<Start | undefined>;
  /** Whether `start` replaces a Procfile's `web`, because that command runs only on the platform it was written for. */
  readonly startsInsteadOf?: (web: string) => boolean;
}

/** A version of the language that the project requires and that the machine does not have. */
export interface Runtime {
  /** The line of the build log. */
  readonly rule: string;
  /** Installs it and puts it on the path; undefined if another version is used. */
  readonly command?: string;
}

export interface Tool {
  readonly program: string;
  /** What to install if the program is missing. */
  readonly install: string;
}

/** Detects the projects of one ecosystem. @throws BuildFailed with advice if such a project cannot be built. */
export type Builder = (project: Project, machine: Machine) => Promise<BuildPlan | undefined>;

/** The commands of a build, with the owner's instead of that of the plan. */
export const buildCommandOf = (
  { runtime, command, folder }: BuildPlan,
  own: string | undefined,
): string | undefined => {
  const enclosed = runtime?.command === undefined && folder === undefined ? own : `{ ${own}\n}`;
  const given = folder === undefined ? enclosed : `cd ${quoted(folder)} && ${enclosed}`;
  const chosen = own === undefined ? command : given;
  return [runtime?.command, chosen].filter(Boolean).join(' && ') || undefined;
};

/** The lines of the build log, without those that the owner's command overrides. */
export const logRulesOf = ({ rules, runtime }: BuildPlan, own: string | undefined): readonly string[] => [
  ...(runtime ? [runtime.rule] : []),
  ...(own === undefined ? rules : []),
];

export const commandStart = (command: string): Start => ({ kind: 'command', command });

export const staticStart = (folder: string): Start => ({ kind: 'static', folder });
