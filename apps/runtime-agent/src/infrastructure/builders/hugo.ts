import { BuildFailed } from '@postern/runtime';
import { type Builder, type BuildPlan, staticStart } from './build-plan.js';
import { firstOf, type Project } from './project.js';

const HUGO = [{ program: 'hugo', install: 'the extended edition of Hugo' }] as const;
const OWN = ['hugo.toml', 'hugo.yaml', 'hugo.yml', 'hugo.json'];
/** Names that other programs use, too. */
const SHARED = ['config.toml', 'config.yaml', 'config.yml', 'config/_default/hugo.toml', 'config/_default/config.toml'];
const FOLDERS = ['content', 'archetypes', 'layouts', 'themes'];

/** Sites of Hugo. */
export const hugo: Builder = async project => {
  const settings =
    (await firstOf(project, OWN)) ?? ((await hasFolders(project)) ? await firstOf(project, SHARED) : undefined);
  if (settings === undefined) return undefined;
  await requireTheme(project, (await project.read(settings)) ?? '');
  const command = 'hugo --destination public';
  return {
    rules: [`${settings} found: ${command}`],
    command,
    needs: HUGO,
    start: async () => staticStart('public'),
  } satisfies BuildPlan;
};

const hasFolders = async (project: Project): Promise<boolean> => {
  for (const folder of FOLDERS) if ((await project.files(folder, 1)).length > 0) return true;
  return false;
};

/** Hugo would build an empty site without its theme. */
const requireTheme = async (project: Project, settings: string): Promise<void> => {
  const theme = /^[ \t]*theme[ \t]*[=:][ \t]*["']?([\w.-]+)["']?[ \t]*$/m.exec(settings)?.[1];
  if (theme === undefined || /^[ \t]*themesDir\b/im.test(settings)) return;
  if ((await project.files(`themes/${theme}`, 1)).length > 0) return;
  throw new BuildFailed(
    `the theme themes/${theme} has no files: if it is a Git submodule, the log says why it is not fetched; commit its files, or give a build command that clones it into themes/${theme} and then runs hugo`,
  );
};
