import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { hostedServices } from '../../setup/services.mjs';

const ROOT = join(import.meta.dirname, '../../..');

/** Imported by path, because a tool is built without the libraries that it checks. */
const permissions = (await import(join(ROOT, 'libs/contracts/src/nats-permissions.ts'))) as {
  natsUsersFile(): string;
};
const contracts = (await import(join(ROOT, 'libs/contracts/src/index.ts'))) as Record<string, unknown> & {
  readonly NATS_USERS: readonly string[];
  isRequestContract(value: unknown): value is { readonly service: string; readonly callers: readonly string[] };
  isEventConsumer(value: unknown): value is { readonly service: string; readonly contracts: readonly unknown[] };
};

const sourcesOf = (user: string) => {
  const path = user === 'operator' ? 'tools/command/src' : `apps/${user}/src`;
  const folder = join(ROOT, path);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !/\.(spec|d)\.ts$|(^|\/)testing\//.test(file))
    .map(file => ({ file: `${path}/${file}`, text: readFileSync(join(folder, file), 'utf8') }));
};

/** The names that a file imports as values from the contracts. */
const importedBy = (text: string): readonly string[] =>
  [...text.matchAll(/import \{([^}]*)\} from '@postern\/contracts'/g)].flatMap(([, names = '']) =>
    names.split(',').flatMap(name => (name.trim() === '' || name.trim().startsWith('type ') ? [] : [name.trim()])),
  );

/** Whether a file uses a contract for more than the shape of its reply. */
const isSent = (text: string, name: string): boolean =>
  new RegExp(`\\b${name}\\b(?!\\.reply)`).test(text.replace(/import \{[^}]*\}/g, ''));

/** The event contracts in an export: of a consumer, a list, or a single one. */
const eventsNamed = (name: string): readonly unknown[] => {
  const found = contracts[name] ?? [];
  return contracts.isEventConsumer(found) ? found.contracts : [found].flat();
};

const USERS = [...hostedServices(ROOT), 'operator'];

it('every hosted service and the operator have a user', () =>
  expect([...contracts.NATS_USERS].sort()).toEqual([...USERS].sort()));

it.each(['docker/nats-users.conf', 'k8s/charts/postern/files/nats-users.conf'])(
  '%s has the permissions of the contracts; `node tools/checks/nats-users.mjs` writes it anew',
  file => expect(readFileSync(join(ROOT, file), 'utf8')).toBe(permissions.natsUsersFile()),
);

describe.each(USERS)('%s', app => {
  it('sends only requests that declare it as a caller', () => {
    const undeclared = sourcesOf(app).flatMap(({ file, text }) =>
      importedBy(text).flatMap(name => {
        const contract = contracts[name];
        if (!contracts.isRequestContract(contract) || contract.service === app || !isSent(text, name)) return [];
        return contract.callers.includes(app) ? [] : [`${file}: ${name}`];
      }),
    );
    expect(undeclared).toEqual([]);
  });

  it('handles events only as consumers that the contracts declare for it', () => {
    const undeclared = sourcesOf(app).flatMap(({ file, text }) =>
      [...text.matchAll(/@HandlesEvents(?:InTransaction)?\(([^)]*)\)/g)].flatMap(([, declared = '']) => {
        const consumer = contracts[/\w+$/.exec(declared)?.[0] ?? ''];
        if (!contracts.isEventConsumer(consumer) || consumer.service !== app) return [`${file}: ${declared}`];
        const taken = [...declared.matchAll(/\w+(?=.*,)/g)].flatMap(([name]) => eventsNamed(name));
        const isDeclared = taken.every(contract => consumer.contracts.includes(contract));
        return isDeclared && taken.length > 0 ? [] : [`${file}: ${declared}`];
      }),
    );
    expect(undeclared).toEqual([]);
  });
});
