import { findingsBetween, groupedTexts } from './findings.js';
import { compareVersions, nameOf, type ReleaseContract } from './release-contract.js';

/** Whether releases may be deployed now. */
export interface Deployability {
  readonly allowed: boolean;
  /** Why not, and who has to go first. */
  readonly problems: readonly string[];
  /** What does not work for a moment, while releases that are deployed together replace each other. */
  readonly notes: readonly string[];
  /** The candidates, each after those that it needs, as far as they do not need each other. */
  readonly order: readonly string[];
}

interface Surroundings {
  /** The releases that run; several of a service during a rollout. */
  readonly running: readonly ReleaseContract[];
  /** The releases that could be deployed instead of them. */
  readonly published?: readonly ReleaseContract[];
  /** Whether newer releases of all other services are deployed in the same step. */
  readonly together?: boolean;
}

/**
 * Compares releases with those that run beside them. Releases that are deployed together may need each other: then only
 * what they exchange during the rollout is a note.
 */
export const canDeploy = (
  candidates: readonly ReleaseContract[],
  { running, published = [], together = false }: Surroundings,
): Deployability => {
  const replaced = new Set(candidates.map(({ service }) => service));
  const problems: string[] = [];
  const notes: string[] = [];
  for (const candidate of candidates) {
    const others = candidates.filter(other => other !== candidate);
    const against = running.map(one => ({ one, findings: findingsBetween(candidate, one) }));
    const breaking = against.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'breaks'));
    problems.push(...groupedTexts(breaking));
    for (const { one, findings } of against) {
      const needed = findings.filter(({ verdict }) => verdict === 'condition');
      if (needed.length === 0) continue;
      const texts = groupedTexts(needed);
      if (together || replaced.has(one.service)) notes.push(...texts);
      else problems.push(...texts.map(text => `${text} ${hintFor(candidate, one, { running, published })}`));
    }
    // Both run in the end, so what one lacks stays missing.
    for (const other of others) problems.push(...groupedTexts(findingsBetween(candidate, other)));
  }
  const allowed = problems.length === 0;
  return { allowed, problems: unique(problems), notes: unique(notes), order: orderOf(candidates, running) };
};

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** The first published release of the other service that fulfils all conditions of the candidate. */
const hintFor = (
  candidate: ReleaseContract,
  older: ReleaseContract,
  { running, published }: Required<Pick<Surroundings, 'running' | 'published'>>,
): string => {
  const fitting = published
    .filter(({ service, version }) => service === older.service && compareVersions(version, older.version) > 0)
    .sort((a, b) => compareVersions(a.version, b.version))
    .find(one => findingsBetween(candidate, one).length === 0);
  if (!fitting) return `${nameOf(older)} runs, and no release of ${older.service} with it is known here.`;
  const first = `${nameOf(older)} runs; ${nameOf(fitting)} is the first release with it.`;
  const needsEachOther = running
    .filter(({ service }) => service === candidate.service)
    .some(own => findingsBetween(fitting, own).some(({ verdict }) => verdict === 'condition'));
  return needsEachOther ? `${first} It needs ${nameOf(candidate)} in turn: deploy both in one step.` : first;
};

/** Sorts candidates so that each follows those whose running release it needs to be replaced first. */
const orderOf = (candidates: readonly ReleaseContract[], running: readonly ReleaseContract[]): readonly string[] => {
  const needs = (candidate: ReleaseContract) =>
    candidates.filter(
      other =>
        other !== candidate &&
        running
          .filter(({ service }) => service === other.service)
          .some(one => findingsBetween(candidate, one).some(({ verdict }) => verdict === 'condition')),
    );
  const remaining = new Set(candidates);
  const order: string[] = [];
  while (remaining.size > 0) {
    const free = [...remaining].find(candidate => !needs(candidate).some(other => remaining.has(other)));
    const next = free ?? ([...remaining][0] as ReleaseContract);
    remaining.delete(next);
    order.push(nameOf(next));
  }
  return order;
};
