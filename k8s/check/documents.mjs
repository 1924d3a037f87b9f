/** The Helm commands in the documents of this repository, and their rendered objects. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helmEnvironment } from './helm.mjs';
import { KUBERNETES, ROOT, tools } from './tools.mjs';

const NOT_OURS = new Set(['node_modules', 'dist', 'generated', 'coverage']);

const markdownBelow = folder =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) || entry.name.startsWith('.') ? [] : markdownBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

/** Helm commands in a code block, one per line, with continuation lines joined. */
const helmIn = block => block.replaceAll(/\\\n\s*/g, '').match(/^\s*(\$ )?helm .*$/gm) ?? [];

/** Inline commands in sentences. A command without a target, such as `helm lint --strict`, is only a mention. */
const helmWithin = text =>
  [...text.matchAll(/`(helm [^`]+)`/g)].flatMap(([, command]) => (isWhole(command) ? [command] : []));

const isWhole = command =>
  command
    .split(/\s+/)
    .slice(2)
    .some(word => !word.startsWith('-'));

/** Every code block with Helm commands in the text of a document, with its nearest heading. */
export const helmCommandsOf = (path, text) => {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(({ 1: block, index }) => ({
    index,
    commands: helmIn(block).map(line => line.trim().replace('$ ', '')),
  }));
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, block => block.replaceAll(/[^\n]/g, ' '));
  const sentences = helmWithin(prose).map(command => ({ index: prose.indexOf(command), commands: [command] }));
  return [...blocks, ...sentences]
    .filter(({ commands }) => commands.length > 0)
    .map(({ index, commands }) => {
      const heading =
        text
          .slice(0, index)
          .match(/^##? .*$/gm)
          ?.at(-1) ?? '';
      return {
        title: `${path}, ${heading.replace(/^#+ /, '')}, line ${text.slice(0, index).split('\n').length}`,
        commands,
      };
    });
};

/** The code blocks of every document. */
export const documentedCommands = () =>
  markdownBelow('.').flatMap(path => helmCommandsOf(path, readFileSync(join(ROOT, path), 'utf8')));

// Bash parses each command literally. Upgrades are rendered instead. Commands that need a cluster must fail with
// "connection refused", which shows that Helm accepts their arguments. All other commands are run.
const REHEARSAL = `
set -euo pipefail
count=0
helm() {
  case "$1" in
    upgrade | install)
      count=$((count + 1))
      local args=()
      for arg in "\${@:2}"; do [ "$arg" = --install ] || args+=("$arg"); done
      "$HELM" template "\${args[@]}" --kube-version "$KUBERNETES" > "$RENDERED/$count.yaml" ;;
    # In a copy, because other tests read the charts meanwhile.
    dependency | package) (mkdir -p "$RENDERED/copy" && cp -r k8s "$RENDERED/copy/" && cd "$RENDERED/copy" && "$HELM" "$@") ;;
    lint | show | template) "$HELM" "$@" ;;
    *)
      local words
      if words=$("$HELM" "$@" --kube-apiserver http://127.0.0.1:1 2>&1) || [[ "$words" != *"connection refused"* ]]; then
        echo "$words" >&2
        return 1
      fi ;;
  esac
}
`;

/** The rendered objects of each upgrade among the commands, as YAML, in order. @throws if Helm rejects one. */
export const rehearse = commands => {
  const rendered = mkdtempSync(join(tmpdir(), 'postern-rendered-'));
  try {
    execFileSync('bash', ['-c', REHEARSAL + commands.join('\n')], {
      cwd: ROOT,
      env: { ...helmEnvironment, HELM: tools().helm, KUBERNETES, RENDERED: rendered },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return readdirSync(rendered)
      .filter(name => name.endsWith('.yaml'))
      .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
      .map(name => readFileSync(join(rendered, name), 'utf8'));
  } finally {
    rmSync(rendered, { recursive: true });
  }
};
