import { folderOf, isSpec, OUTSIDE_PACKAGES } from './codebase.js';
import { mayWriteTwice, tooManyWritingPorts } from './feature-rules.js';
import { forbidsImports, forbidsText, type Rule } from './rule.js';

const adapterOf = (path: string): string | undefined => /^apps\/[^/]+\/src\/adapters\/([^/.]+)/.exec(path)?.[1];

const inLayer =
  (...layers: string[]) =>
  (path: string) =>
    !isSpec(path) && layers.includes(folderOf(path) ?? '');

/** The rules of services that are divided by layers. Deleted with the last of them. */
export const LAYER_RULES: readonly Rule[] = [
  {
    name: 'a domain knows contracts, the vocabulary of event sourcing and mail, and itself',
    governs: inLayer('domain'),
    violations: file =>
      forbidsImports(file, ({ path, specifier }) =>
        path
          ? folderOf(`${path}/`) !== 'domain' && !path.startsWith(file.path.replace(/domain\/.*/, 'domain/'))
          : !/^@postern\/(contracts(\/refusal)?|event-sourcing|mail)$/.test(specifier),
      ),
  },
  {
    name: 'a domain knows no clock, chance or environment',
    governs: inLayer('domain'),
    violations: file =>
      forbidsText(file, {
        'the clock': /Date\.now\(|new Date\(\)|performance\.now/,
        chance: /Math\.random|randomUUID|randomBytes/,
        'the environment': /\bprocess\.|globalThis\b/,
      }),
  },
  {
    name: 'commands and reactions know ports, never adapters, projections or technology',
    governs: inLayer('commands', 'reactions'),
    violations: file =>
      forbidsImports(
        file,
        ({ path, specifier }) =>
          (path !== undefined && /\/src\/(adapters|projections|generated)\//.test(path)) ||
          OUTSIDE_PACKAGES.test(specifier),
      ),
  },
  {
    name: 'a command in its layer writes through one port',
    governs: path => inLayer('commands')(path) && !mayWriteTwice(path),
    violations: file => tooManyWritingPorts(file),
  },
  {
    name: 'projections decide nothing',
    governs: inLayer('projections'),
    violations: file =>
      forbidsImports(file, ({ path }) => path !== undefined && /\/src\/(commands|reactions|adapters)\//.test(path)),
  },
  {
    name: 'an adapter never imports another adapter',
    governs: inLayer('adapters'),
    violations: file =>
      forbidsImports(file, ({ path }) => {
        const other = path && adapterOf(path);
        return other !== undefined && other !== '' && other !== adapterOf(file.path);
      }),
  },
];
