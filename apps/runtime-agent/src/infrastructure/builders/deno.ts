import { z } from 'zod';
import { type Builder, commandStart } from './build-plan.js';
import { parseJsonc } from './jsonc.js';
import type { Machine } from './machine.js';
import { installTools } from './node-version.js';
import { firstOf, type Project } from './project.js';
import { TOOL_PROGRAMS } from './start.js';

const MAINS = ['main.ts', 'main.js', 'server.ts', 'mod.ts', 'index.ts', 'app.ts', 'src/main.ts', 'src/index.ts'];
const OF_DENO = /\bDeno\.|https:\/\/deno\.land\/|from ['"]jsr:/;
/** The npm package contains the program, so the machine does not need it. */
const PACKAGE = 'deno@2';
/** Imported modules are stored in the artefact, because an instance downloads nothing. */
const CACHE = 'DENO_DIR="$PWD/.deno"';

/** Projects with a deno.json, or whose main module uses APIs of Deno. */
export const deno: Builder = async (project, machine) => {
  const main = await firstOf(project, MAINS);
  const isMarked = main !== undefined && OF_DENO.test((await project.readBeginning(main)) ?? '');
  const manifest =
    (await firstOf(project, ['deno.json', 'deno.jsonc', 'deno.lock'])) ??
    (isMarked && !(await project.has('package.json')) ? main : undefined);
  if (manifest === undefined) return undefined;
  const { program, install, rules } = programOf(machine);
  const tasks = await tasksOf(project);
  const run = tasks.has('start') ? 'task start' : `run ${main ?? ''}`;
  const steps = [...install];
  if (main !== undefined) steps.push(`${CACHE} ${program} cache ${main}`);
  if (tasks.has('build')) steps.push(`${CACHE} ${program} task build`);
  return {
    rules: [
      `${manifest} found: deno ${run}`,
      ...rules,
      ...(tasks.has('build') ? ['task build found: deno task build'] : []),
    ],
    ...(steps.length > 0 && { command: steps.join(' && ') }),
    start: async () => {
      if (tasks.has('start')) return commandStart(`${CACHE} deno task start`);
      return main === undefined
        ? undefined
        : commandStart(`${CACHE} deno run --allow-net --allow-env --allow-read ${main}`);
    },
  };
};

const programOf = (machine: Machine) =>
  machine.has('deno')
    ? { program: 'deno', install: [], rules: [] }
    : {
        program: `${TOOL_PROGRAMS}/deno`,
        install: [installTools(PACKAGE)],
        rules: [`${machine.name} has no deno: npm installs ${PACKAGE}`],
      };

const settings = z.object({ tasks: z.record(z.string(), z.unknown()) });

/** The names of the tasks; none if the manifest is not valid, which Deno reports. */
const tasksOf = async (project: Project): Promise<ReadonlySet<string>> => {
  const text = (await project.read('deno.json')) ?? (await project.read('deno.jsonc')) ?? '';
  try {
    return new Set(Object.keys(settings.parse(parseJsonc(text)).tasks));
  } catch {
    return new Set();
  }
};
