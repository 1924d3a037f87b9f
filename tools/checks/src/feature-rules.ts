import { appOf, type Codebase, folderOf, isModule, isPort, isReadModel, isSpec, OUTSIDE_PACKAGES } from './codebase.js';
import { forbidsImports, forbidsText, type Rule } from './rule.js';
import type { Import, SourceFile } from './source-tree.js';
import { writingPortsIn } from './writing-ports.js';

const inService = (path: string, codebase: Codebase) => codebase.isByFeature(path) && !isSpec(path);

const isDecider = (file: SourceFile) => /:\s*Decider</.test(file.text) || /\bsatisfies\s+Decider</.test(file.text);

/** Planners and other rules that no decider imports and that must also be pure. */
const PURE_AS_WELL = /\/next-steps\.ts$/;

/** Reports the first impure file in the closure of a decider. */
const impureClosure = (file: SourceFile, codebase: Codebase): string[] =>
  codebase
    .closureOf(file)
    .flatMap(each =>
      codebase
        .impurities(each)
        .map(impurity => (each === file ? impurity : `imports ${each.path}, which ${impurity},`)),
    );

/** Whether the import refers to an internal file of another feature; the files of a context are for its features. */
const isForeignInternal = (importer: SourceFile, { path }: Import, codebase: Codebase): boolean => {
  if (!path || appOf(path) !== appOf(importer.path)) return false;
  const feature = codebase.featureOf(path);
  if (feature === undefined || `${codebase.featureOf(importer.path)}/`.startsWith(`${feature}/`)) return false;
  if (isModule(importer.path) && isModule(path)) return false;
  if (path.endsWith('.sql')) return false;
  return !(isPort(path) || isReadModel(path) || codebase.isPure(path) || codebase.isExported(path));
};

const isTechnology = ({ specifier }: Import) => OUTSIDE_PACKAGES.test(specifier);

const ofApp = (test: (path: string) => boolean) => (imported: Import) =>
  imported.path?.startsWith('apps/') === true && test(imported.path);

/** The rules for services organized by features. */
export const FEATURE_RULES: readonly Rule[] = [
  {
    name: 'a decider and everything it imports is pure',
    governs: inService,
    violations: (file, codebase) =>
      isDecider(file) || PURE_AS_WELL.test(file.path) ? impureClosure(file, codebase) : [],
  },
  {
    name: 'a command imports no technology',
    governs: inService,
    violations: (file, codebase) =>
      codebase.isCommand(file)
        ? [
            ...forbidsImports(file, isTechnology),
            ...forbidsText(file, {
              HTTP: /\b(Http(Exception|Status)|\w+(Request|Found|ized|den|Conflict)Exception)\b/,
            }),
          ]
        : [],
  },
  {
    name: 'a command writes through one port, so that all it changes is one transaction',
    governs: (path, codebase) => inService(path, codebase) && !TWO_TRANSACTIONS.has(inAnyFolder(path)),
    violations: (file, codebase) => (codebase.isCommand(file) ? tooManyWritingPorts(file) : []),
  },
  {
    name: 'a read model decides nothing',
    governs: (path, codebase) => inService(path, codebase) && isReadModel(path),
    violations: (file, codebase) =>
      forbidsImports(
        file,
        ofApp(path => {
          const target = codebase.find(path);
          return target !== undefined && codebase.isCommand(target);
        }),
      ),
  },
  {
    name: 'ports know no technology',
    governs: (path, codebase) => inService(path, codebase) && isPort(path),
    violations: (file, codebase) => [
      ...forbidsImports(file, ({ specifier }) => OUTSIDE_PACKAGES.test(specifier)),
      ...forbidsImports(
        file,
        ofApp(path => codebase.isAdapter(path)),
      ),
    ],
  },
  {
    name: 'a feature shares its ports, pure files, statements, read models, what its module exports and, with modules, its module',
    governs: (path, codebase) => inService(path, codebase) && folderOf(path) !== undefined,
    violations: (file, codebase) => forbidsImports(file, imported => isForeignInternal(file, imported, codebase)),
  },
  {
    name: 'infrastructure of one technology imports no other, and no command',
    governs: (path, codebase) =>
      inService(path, codebase) && folderOf(path) === 'infrastructure' && !isModule(path) && technologyOf(path) !== '',
    violations: (file, codebase) =>
      forbidsImports(
        file,
        ofApp(path => {
          const target = codebase.find(path);
          if (target && codebase.isCommand(target)) return true;
          const other = technologyOf(path);
          return other !== undefined && other !== '' && other !== technologyOf(file.path) && codebase.isAdapter(path);
        }),
      ),
  },
];

const technologyOf = (path: string) => /^apps\/[^/]+\/src\/infrastructure\/(?:([^/]+)\/)?/.exec(path)?.[1];

/** App and file name: the part of a command's path that is independent of the layout of its app. */
const inAnyFolder = (path: string) => path.replace(/^apps\/([^/]+)\/.*\/([^/]+)$/, '$1/$2');

/** Commands that write in several transactions, in a safe order, with the reason. */
const TWO_TRANSACTIONS: ReadonlySet<string> = new Set([
  // A mail is sent between the two; an allowance spent on a mail that was not sent is returned.
  'email-send/add-verified-recipient.ts',
  // First reopens a workspace that a failed deletion has closed, which is correct even without the creation.
  'email-send/create-email-service.ts',
]);

export const tooManyWritingPorts = (file: SourceFile): string[] => {
  const ports = writingPortsIn(file.text);
  return ports.length > 1 ? [`writes through ${ports.join(' and ')}`] : [];
};
