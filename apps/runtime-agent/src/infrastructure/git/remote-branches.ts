import type { ResolvedSource, Source } from '@postern/runtime';

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The arguments for `git ls-remote --symref`. */
export const requestedRefs = ({ branch }: Source): readonly string[] => {
  if (branch === undefined) return ['HEAD', 'refs/heads/*'];
  const name = escaped(branch);
  // An annotated tag is an object of its own; the server lists its commit with the suffix ^{}.
  return [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`];
};

/**
 * Parses the output: the named branch, tag or commit id, or the branch that HEAD refers to.
 * @returns an error message if there is none.
 */
export const pickBranch = (answer: string, { branch }: Source): ResolvedSource | string => {
  const lines = answer.split('\n').map(line => line.split('\t'));
  const commits = new Map(
    lines.flatMap(([left = '', name = '']) => (COMMIT.test(left) ? [[name, left] as const] : [])),
  );
  const commitOf = (name: string) => commits.get(`refs/heads/${name}`);
  if (branch !== undefined) {
    const tag = `refs/tags/${branch}`;
    const commit = commitOf(branch) ?? commits.get(`${tag}^{}`) ?? commits.get(tag);
    if (commit) return { branch, commit };
    // Whether the repository has the commit shows when it is fetched.
    return COMMIT.test(branch) ? { branch, commit: branch } : `the repository has no branch or tag ${branch}`;
  }
  const named = lines.map(([left = '', name]) =>
    name === 'HEAD' ? /^ref: refs\/heads\/(.+)$/.exec(left)?.[1] : undefined,
  );
  const byDefault = named.find(Boolean) ?? branchAt(commits, commits.get('HEAD'));
  const commit = byDefault && commitOf(byDefault);
  if (byDefault && commit) return { branch: byDefault, commit };
  if (commits.size === 0) return 'the repository is empty';
  return 'the repository has no default branch; name one';
};

/** For servers that do not report the target of HEAD, or whose HEAD is detached. */
const branchAt = (commits: ReadonlyMap<string, string>, head: string | undefined): string | undefined => {
  const at = [...commits].filter(([name, commit]) => commit === head && name.startsWith('refs/heads/'));
  const names = at.map(([name]) => name.slice('refs/heads/'.length));
  return ['main', 'master'].find(name => names.includes(name)) ?? names[0];
};

/** Arguments of ls-remote are glob patterns. */
const escaped = (branch: string): string => branch.replaceAll(/[\\*?[]/g, '\\$&');
