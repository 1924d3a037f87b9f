import { BuildFailed } from '@postern/runtime';
import type { Project } from './project.js';

/** @throws BuildFailed if the command starts a script of the project whose first line ends as on Windows. */
export const requireUnixScript = async (project: Project, command: string): Promise<void> => {
  const script = /^(?:\w+=\S*[ \t]+)*(?:exec[ \t]+)?(?:(?:ba)?sh[ \t]+)?(?:\.\/)?([\w./-]+)/.exec(
    command.slice(0, 1_000),
  )?.[1];
  if (script === undefined || script.startsWith('/') || script.includes('..')) return;
  const interpreter = /^#![^\r\n]*\r\n/.exec((await project.readBeginning(script)) ?? '');
  if (interpreter)
    throw new BuildFailed(
      `${script} cannot be started, because its lines end as on Windows (CRLF): save it with Unix line ends (LF), or add "${script} text eol=lf" to .gitattributes`,
    );
};
