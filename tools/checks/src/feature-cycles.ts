import { appOf, type Codebase, contextOf, folderOf, isSpec } from './codebase.js';
import { forbidsImports, type Rule } from './rule.js';
import type { SourceFile } from './source-tree.js';

type GroupOf = (path: string) => string | undefined;

/** For each group of an app's files, the groups that it imports, type imports included. */
const arrowsOf = (files: readonly SourceFile[], groupOf: GroupOf): ReadonlyMap<string, ReadonlySet<string>> => {
  const arrows = new Map<string, Set<string>>();
  for (const { path: from, imports } of files) {
    const group = groupOf(from);
    if (group === undefined) continue;
    for (const { path } of imports) {
      const target = path !== undefined && appOf(path) === appOf(from) ? groupOf(path) : undefined;
      if (target === undefined || target === group) continue;
      arrows.set(group, (arrows.get(group) ?? new Set()).add(target));
    }
  }
  return arrows;
};

/** The arrows that close a cycle, as "from to": one for each simple cycle, independent of the order of the files. */
const closingArrowsOf = (arrows: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> => {
  const closing = new Set<string>();
  const done = new Set<string>();
  const walk = (group: string, trail: readonly string[]): void => {
    if (done.has(group)) return;
    for (const target of [...(arrows.get(group) ?? [])].sort()) {
      if (target === group || trail.includes(target)) closing.add(`${group} ${target}`);
      else walk(target, [...trail, group]);
    }
    done.add(group);
  };
  for (const group of [...arrows.keys()].sort()) walk(group, []);
  return closing;
};

const closingByCodebase = new WeakMap<Codebase, ReadonlyMap<string, ReadonlySet<string>>>();

/** The closing arrows of all apps, by app and level. */
const closingIn = (codebase: Codebase): ReadonlyMap<string, ReadonlySet<string>> => {
  const known = closingByCodebase.get(codebase);
  if (known) return known;
  const files = Map.groupBy(
    codebase.files.filter(({ path }) => codebase.isByFeature(path) && !isSpec(path)),
    ({ path }) => appOf(path),
  );
  const closing = new Map(
    [...files].flatMap(([app, ofApp]) =>
      levelsOf(codebase).map(([level, groupOf]) => [`${app} ${level}`, closingArrowsOf(arrowsOf(ofApp, groupOf))]),
    ),
  );
  closingByCodebase.set(codebase, closing);
  return closing;
};

const levelsOf = (codebase: Codebase): readonly (readonly [string, GroupOf])[] => [
  ['contexts', contextOf],
  ['features', path => codebase.featureOf(path)],
];

/** The rules for the arrows between the features of an app. */
export const CYCLE_RULES: readonly Rule[] = [
  {
    name: 'the contexts and features of an app form no cycle, type imports included',
    governs: (path, codebase) => codebase.isByFeature(path) && !isSpec(path),
    violations: (file, codebase) =>
      forbidsImports(file, ({ path }) =>
        levelsOf(codebase).some(
          ([level, groupOf]) =>
            path !== undefined &&
            appOf(path) === appOf(file.path) &&
            closingIn(codebase)
              .get(`${appOf(file.path)} ${level}`)
              ?.has(`${groupOf(file.path)} ${groupOf(path)}`),
        ),
      ),
  },
  {
    name: 'infrastructure imports no feature',
    governs: (path, codebase) => codebase.isByFeature(path) && folderOf(path) === 'infrastructure' && !isSpec(path),
    violations: file =>
      forbidsImports(
        file,
        ({ path }) => path !== undefined && appOf(path) === appOf(file.path) && contextOf(path) !== undefined,
      ),
  },
];
