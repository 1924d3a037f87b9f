import { camel, type Names, namesOf, pascal, pastOf } from './names.ts';
import { create, finish, insert, read, type Tree } from './workspace.ts';

export interface CommandOptions {
  readonly name: string;
  readonly service: string;
  readonly feature: string;
  readonly event?: string;
}

const NEXT_STEPS = [
  'describe the fields and the summary in the contract, then: npx tsc -b',
  'POSTERN_WRITE_SNAPSHOTS=1 npx nx test contracts --skip-nx-cache',
  'node tools/checks/nats-users.mjs && node tools/checks/sdk-types.mjs',
];

/** Adds a command to an aggregate: contract with its route, command class, event and rule of the decider. */
export default function command(tree: Tree, options: CommandOptions) {
  addCommand(tree, options);
  return finish(tree, NEXT_STEPS);
}

/** Adds a command other than the one that creates the aggregate. */
const addCommand = (tree: Tree, { name, service, feature, event }: CommandOptions): void => {
  const names = namesOf(service, feature);
  if (!name.endsWith(`-${names.singular}`)) throw new Error(`the name is a verb and "${names.singular}"`);
  const verb = name.slice(0, -names.singular.length - 1);
  const { field } = names;
  extendDecider(tree, names, verb, event ?? pastOf(verb));
  addContract(
    tree,
    names,
    `export const ${camel(name)} = request('${name}', {
  request: z.object({ workspace_id: id, ${field}: id }),
  reply: noContent,
  refusals: { ${field.replace(/_id$/, '')}_not_found: 404 },
  http: {
    operation: '${names.Plural}.${camel(verb)}',
    method: 'POST',
    path: '/${names.plural}/{${field}}/${verb}',
    access: 'session',
    summary: '${pascal(verb)} a ${names.singular.replaceAll('-', ' ')}',
  },
});
`,
  );
  addClass(tree, names, name, `${pascal(verb)}s a ${names.singular.replaceAll('-', ' ')}.`, {
    imports: '',
    body: `await this.streams.execute(${names.variable}, ${names.variable}Stream(request.${field}), {
      kind: '${verb}',
      workspaceId: request.workspace_id,
      at: new Date().toISOString(),
    });
    return {};`,
  });
};

const extendDecider = (tree: Tree, names: Names, verb: string, past: string): void => {
  const path = `apps/${names.service}/src/${names.folder}/${names.singular}.ts`;
  const type = `${names.service}.${names.singular}-${past}.v1`;
  const { Singular, field } = names;
  insert(
    tree,
    path,
    new RegExp(`(export type ${Singular}Event =)\\s*\\|?`),
    `$1 | { readonly type: '${type}'; readonly data: { readonly ${field}: string; readonly at: string } } |`,
  );
  insert(
    tree,
    path,
    new RegExp(`(export type ${Singular}Command =)\\s*\\|?`),
    `$1 | { readonly kind: '${verb}'; readonly workspaceId: string; readonly at: string } |`,
  );
  insert(
    tree,
    path,
    /switch \(command\.kind\) \{/,
    `$& case '${verb}': return [{ type: '${type}', data: { ${field}: known(state, command).id, at: command.at } }];`,
  );
  insert(tree, path, /switch \(event\.type\) \{/, `$& case '${type}': return state;`);
};

/** Appends a request to the contracts of the feature, which it begins if there are none. */
export const addContract = (tree: Tree, names: Names, request: string): void => {
  const path = `libs/contracts/src/${names.service}/${names.plural}.ts`;
  if (!tree.exists(path)) {
    tree.write(
      path,
      `import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';

const request = requestsOf('${names.service}');
`,
    );
    const index = 'libs/contracts/src/index.ts';
    tree.write(index, `${read(tree, index)}export * from './${names.service}/${names.plural}.js';\n`);
  }
  for (const shape of ['id', 'noContent'].filter(each => new RegExp(`\\b${each}\\b`).test(request)))
    if (!new RegExp(`import \\{[^}]*\\b${shape}\\b[^}]*\\} from '../shapes.js'`).test(read(tree, path)))
      insert(tree, path, /\} from '\.\.\/shapes\.js'/, `, ${shape} } from '../shapes.js'`);
  tree.write(path, `${read(tree, path)}\n${request}`);
};

/** Writes the class of a command and adds it to the module of its feature. */
export const addClass = (
  tree: Tree,
  { service, folder, plural, singular, variable }: Names,
  name: string,
  purpose: string,
  code: { readonly imports: string; readonly body: string },
): void => {
  const [contract, className] = [camel(name), pascal(name)];
  create(
    tree,
    `apps/${service}/src/${folder}/${name}.ts`,
    `import { ${contract}, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { Handles } from '@postern/messaging';
${code.imports}import { ${variable}, ${variable}Stream } from './${singular}.js';

/** ${purpose} */
@Handles(${contract})
export class ${className} {
  constructor(private readonly streams: Streams) {}

  async execute(request: RequestOf<typeof ${contract}>): Promise<ReplyOf<typeof ${contract}>> {
    ${code.body}
  }
}
`,
  );
  const module = `apps/${service}/src/${folder}/${plural}.module.ts`;
  insert(tree, module, /providers: \[/, `providers: [${className}, `);
  tree.write(module, `import { ${className} } from './${name}.js';\n${read(tree, module)}`);
};
