import { addClass, addContract } from './command.ts';
import { type Names, namesOf } from './names.ts';
import { create, finish, insert, read, type Tree } from './workspace.ts';

export interface FeatureOptions {
  readonly name: string;
  readonly service: string;
}

/** Adds an aggregate: decider with its spec, module, and the command that creates it. */
export default function feature(tree: Tree, { name, service }: FeatureOptions) {
  const names = namesOf(service, name);
  const folder = `apps/${service}/src/${names.folder}`;
  create(tree, `${folder}/${names.singular}.ts`, deciderOf(names));
  create(tree, `${folder}/${names.singular}.spec.ts`, specOf(names));
  create(tree, `${folder}/${names.plural}.module.ts`, moduleOf(names));
  importModule(tree, names);
  addCreation(tree, names);
  return finish(tree, [
    `describe in ${folder}/${names.singular}.ts what it is, and add its fields to the contract`,
    'POSTERN_WRITE_SNAPSHOTS=1 npx nx test contracts --skip-nx-cache',
    'node tools/checks/nats-users.mjs && node tools/checks/sdk-types.mjs',
    `npx nx test ${service} ${names.plural}`,
  ]);
}

const titleOf = ({ singular }: Names): string => singular.replaceAll('-', ' ');

const deciderOf = (names: Names): string => {
  const { service, singular, Singular, variable, field } = names;
  const code = field.replace(/_id$/, '');
  const created = `${service}.${singular}-created.v1`;
  return `import { Refusal } from '@postern/contracts/refusal';
import type { Decider } from '@postern/event-sourcing';

export type ${Singular}Event = {
  readonly type: '${created}';
  readonly data: { readonly ${field}: string; readonly workspace_id: string; readonly at: string };
};

export type ${Singular}Command = {
  readonly kind: 'create';
  readonly id: string;
  readonly workspaceId: string;
  readonly at: string;
};

export interface ${Singular} {
  readonly id: string;
  /** Empty before the creation. */
  readonly workspaceId: string;
}

export const ${variable}Stream = (id: string): string => \`${singular}-\${id}\`;

/** A ${titleOf(names)} of a workspace. */
export const ${variable}: Decider<${Singular}, ${Singular}Command, ${Singular}Event> = {
  initial: { id: '', workspaceId: '' },

  decide: (command, state) => {
    switch (command.kind) {
      case 'create':
        if (state.workspaceId) return [];
        return [
          { type: '${created}', data: { ${field}: command.id, workspace_id: command.workspaceId, at: command.at } },
        ];
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case '${created}':
        return { ...state, id: event.data.${field}, workspaceId: event.data.workspace_id };
    }
  },
};

/** The ${titleOf(names)} of this workspace. Refuses with \`${code}_not_found\`. */
export const known = (state: ${Singular}, { workspaceId }: { readonly workspaceId: string }): ${Singular} => {
  if (!state.workspaceId || state.workspaceId !== workspaceId)
    throw new Refusal('${code}_not_found', 'there is no such ${titleOf(names)} in this workspace');
  return state;
};
`;
};

const specOf = (names: Names): string => {
  const { service, singular, Singular, variable, field } = names;
  return `import { describe, expect, it } from '@jest/globals';
import { specificationOf } from '@postern/event-sourcing/testing';
import { known, ${variable}, type ${Singular}Event } from './${singular}.js';

const given = specificationOf(${variable});
const at = '2026-03-01T10:00:00.000Z';
const create = { kind: 'create', id: 'id-1', workspaceId: 'w1', at } as const;
const created: ${Singular}Event = {
  type: '${service}.${singular}-created.v1',
  data: { ${field}: 'id-1', workspace_id: 'w1', at },
};

describe('a ${titleOf(names)}', () => {
  it('is created once', () => {
    given().when(create).yields(created);
    given(created).when(create).yields();
  });

  it('is found in its workspace only', () => {
    const state = ${variable}.evolve(${variable}.initial, created);
    expect(known(state, { workspaceId: 'w1' }).id).toBe('id-1');
    expect(() => known(state, { workspaceId: 'w2' })).toThrow('there is no such ${titleOf(names)}');
  });
});
`;
};

/** The event store is global in a service, so the module imports nothing. */
const moduleOf = ({ Plural, singular }: Names): string => `import { Module } from '@nestjs/common';

/** ${Plural.replaceAll(/(?<=.)[A-Z]/g, letter => ` ${letter.toLowerCase()}`)} of workspaces; see ${singular}.ts. */
@Module({ providers: [] })
export class ${Plural}Module {}
`;

const importModule = (tree: Tree, { service, folder, plural, Plural }: Names): void => {
  const path = `apps/${service}/src/${service}.module.ts`;
  insert(tree, path, /imports: \[/, `imports: [${Plural}Module, `);
  tree.write(path, `import { ${Plural}Module } from './${folder}/${plural}.module.js';\n${read(tree, path)}`);
};

const addCreation = (tree: Tree, names: Names): void => {
  const { singular, plural, Plural, Singular, variable } = names;
  addContract(
    tree,
    names,
    `export const create${Singular} = request('create-${singular}', {
  request: z.object({ workspace_id: id }),
  reply: z.object({ id }),
  http: {
    operation: '${Plural}.create',
    method: 'POST',
    path: '/${plural}',
    access: 'session',
    status: 201,
    summary: 'Create a ${titleOf(names)}',
  },
});
`,
  );
  addClass(tree, names, `create-${singular}`, `Creates a ${titleOf(names)}.`, {
    imports: "import { v7 as uuidv7 } from 'uuid';\n",
    body: `const id = uuidv7();
    await this.streams.execute(${variable}, ${variable}Stream(id), {
      kind: 'create',
      id,
      workspaceId: request.workspace_id,
      at: new Date().toISOString(),
    });
    return { id };`,
  });
};
