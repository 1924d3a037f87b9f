import type { ServiceBlueprint } from '../blueprint/blueprint.js';
import { type ComposeFile, type ComposeInput, isSection } from './compose-file.js';
import { pathInRepository } from './paths.js';
import type { Report } from './report.js';
import { entriesOf, type Variable } from './variables.js';

const READ = new Set(['context', 'dockerfile', 'args', 'target']);
/** They change how fast an image is built, or how it is named. */
const WITHOUT_EFFECT = new Set([
  'cache_from',
  'cache_to',
  'labels',
  'no_cache',
  'platforms',
  'pull',
  'shm_size',
  'tags',
]);

type Build = Partial<
  Pick<ServiceBlueprint, 'repository' | 'root_directory' | 'dockerfile_path' | 'docker_target' | 'build_args'>
>;

/** The folder that the image of a service is built from, relative to the repository. */
export const contextOf = (build: unknown, folder: string): string | undefined => {
  const context = isSection(build) ? (build['context'] ?? '.') : build;
  return context === undefined ? undefined : pathInRepository(folder, String(context));
};

/** The settings of a service that is built. Arguments from outside of the file become secret variables. */
export const buildOf = (
  name: string,
  given: unknown,
  variables: Map<string, Variable>,
  file: ComposeFile,
  { folder, repository, lookup }: Pick<ComposeInput, 'folder' | 'repository' | 'lookup'>,
  report: Report,
): Build => {
  const at = `services.${name}.build`;
  const build = isSection(given) ? given : { context: given };
  for (const key of Object.keys(build))
    if (!READ.has(key) && !WITHOUT_EFFECT.has(key) && !key.startsWith('x-'))
      report.refuse(`${at}.${key}`, 'Builds have a context, a Dockerfile, arguments and a target. Remove it.');
  const context = String(build['context'] ?? '.');
  const root = contextOf(build, folder);
  if (/^[a-z+]+:\/\/|^git@/.test(context))
    report.refuse(`${at}.context`, 'It is another repository. Write a postern.yaml that names it as repository.');
  else if (root === undefined)
    report.refuse(`${at}.context`, `${context} is outside of the repository. Move the Compose file or the folder.`);
  else if (repository === undefined)
    report.refuse(
      at,
      'The folder has no Git remote, and Postern builds from a repository. Add one: git remote add origin <URL>.',
    );
  const dockerfile = String(build['dockerfile'] ?? 'Dockerfile');
  const dockerfilePath = pathInRepository('', dockerfile);
  if (dockerfilePath === undefined)
    report.refuse(`${at}.dockerfile`, `${dockerfile} is outside of the context. Move it, or choose a wider context.`);
  const args = argumentsOf(name, build['args'], variables, file, lookup, report);
  return {
    ...(repository !== undefined && { repository }),
    ...(root && { root_directory: root }),
    ...(dockerfilePath !== undefined && dockerfilePath !== 'Dockerfile' && { dockerfile_path: dockerfilePath }),
    ...(build['target'] !== undefined && { docker_target: String(build['target']) }),
    ...(Object.keys(args).length > 0 && { build_args: args }),
  };
};

const argumentsOf = (
  name: string,
  given: unknown,
  variables: Map<string, Variable>,
  file: ComposeFile,
  lookup: ComposeInput['lookup'],
  report: Report,
): Record<string, string> => {
  const result = new Map<string, string>();
  for (const { key, value, path } of entriesOf(given, `services.${name}.build.args`)) {
    const text = value ?? lookup(key);
    if (text === undefined) continue;
    if (value !== undefined && !file.external.has(path)) {
      result.set(key, text);
      continue;
    }
    if ((variables.get(key)?.value ?? text) !== text)
      report.refuse(path, `The variable ${key} of the service has another value. Rename the argument.`);
    variables.set(key, { value: text, secret: true });
    report.note(`The value of the build argument ${key} of ${name} is not in the file: it becomes a secret variable.`);
    result.set(key, `\${${key}}`);
  }
  return Object.fromEntries(result);
};
