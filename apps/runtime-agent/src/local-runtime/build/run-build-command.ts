import { BuildFailed, type BuildOrder } from '@postern/runtime';
import { adviceIn } from '../../infrastructure/builders/build-failure-advice.js';
import { showsDamagedCache } from '../../infrastructure/builders/damaged-cache.js';
import { readSmallFile } from '../../infrastructure/builders/small-file.js';
import { failureLinesOf } from '../../infrastructure/failure-lines.js';
import { treeOf } from '../artefacts/artefact-store.js';
import type { SandboxView } from '../instances/confinement.js';
import { exitReason } from '../instances/exit-reason.js';
import { BUILD_MARKER } from '../instances/process-markers.js';
import { runConfined } from '../sandbox/confined-run.js';
import { buildEnvironment, draftOf, homeOf, temporaryOf } from './build-environment.js';
import { type BuildLimits, heapMib } from './build-limits.js';
import type { BuildSite } from './dockerfile/dockerfile-builds.js';
import { requireWithinLimits } from './limit-watch.js';

interface BuildMachine {
  readonly limits: BuildLimits;
  readonly path: string;
  readonly platformUrl: string;
  readonly registry: Readonly<Record<string, string>>;
}

interface CommandRun {
  readonly command: string;
  /** Those of the build rules, which the variables of the order override. */
  readonly variables: Readonly<Record<string, string>>;
  readonly order: BuildOrder;
  readonly site: BuildSite;
}

/** The log has the whole command. */
const MOST_SHOWN = 200;

/** Runs as the user of the build: the folders of some package managers are read-only. */
const EMPTY = 'chmod -R u+w -- "$0" 2>/dev/null; find "$0" -mindepth 1 -delete';

/** Runs the build command; once more with an empty cache if its output shows that the cache is damaged. @throws BuildFailed */
export const runBuildCommand = async (machine: BuildMachine, run: CommandRun, signal: AbortSignal): Promise<void> => {
  const { command, order, site } = run;
  const { place, folders, output } = site;
  output.logLine(`$ ${command}`);
  const view = await place.view({
    app: treeOf(draftOf(folders.workspace)),
    appWritable: true,
    home: homeOf(folders.workspace),
    temporary: temporaryOf(folders.workspace),
    cache: folders.cache,
  });
  const cache = view.folders.cache ?? folders.cache;
  const execute = (argv: readonly string[]) => inView(machine, run, { view, cache }, argv, signal);
  const failure = async () => {
    const exit = await execute(['/bin/sh', '-c', command]).finally(() => output.end());
    if ('code' in exit && exit.code === 0) return undefined;
    await requireWithinLimits(place, machine.limits, folders);
    return 'code' in exit ? exitReason(exit.code) : `was killed by ${exit.signal}`;
  };
  let failed = await failure();
  if (failed !== undefined && showsDamagedCache(output.last)) {
    output.logLine('The build cache is damaged: the build command runs again with an empty one');
    await execute(['/bin/sh', '-c', EMPTY, cache]);
    failed = await failure();
  }
  if (failed === undefined) return;
  const shown = command.length > MOST_SHOWN ? `${command.slice(0, MOST_SHOWN)}…` : command;
  const ended = `${order.buildCommand === undefined ? shown : 'the build command'} ${failed}`;
  const advice = adviceIn(`${await unsetInNpmrc(folders.workspace, order.environment)}${output.last}`);
  throw new BuildFailed(
    advice === undefined ? [ended, ...failureLinesOf(output.last)].join('\n') : `${advice} (${ended})`,
  );
};

/** The variables that .npmrc uses and the build does not have, in the words of pnpm: npm does not name them. */
const unsetInNpmrc = async (workspace: string, environment: BuildOrder['environment']): Promise<string> => {
  const text = (await readSmallFile(treeOf(draftOf(workspace)), '.npmrc')) ?? '';
  const unset = [...text.matchAll(/\$\{(\w+)\}/g)].filter(([, name = '']) => !environment[name]);
  return unset.map(([use]) => `Failed to replace env in config: ${use}\n`).join('');
};

const inView = (
  { path, platformUrl, registry, limits }: BuildMachine,
  { variables, order, site: { id, output } }: CommandRun,
  { view, cache }: { readonly view: SandboxView; readonly cache: string },
  argv: readonly string[],
  signal: AbortSignal,
) =>
  runConfined(
    { wrap: command => view.wrap(command, '.') },
    {
      argv,
      directory: view.startDirectory,
      environment: { PATH: path, [BUILD_MARKER]: id },
      variables: buildEnvironment({ ...view.folders, cache }, { id, path, platformUrl }, registry, {
        // Node.js would use a quarter of the memory, or more than there is.
        NODE_OPTIONS: `--max-old-space-size=${heapMib(limits)}`,
        ...variables,
        ...order.environment,
      }),
      onOutput: output.take,
    },
    signal,
  );
