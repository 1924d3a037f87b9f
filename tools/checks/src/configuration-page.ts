import { hostedServices, services } from '../../setup/services.mjs';

/** A setting as `describeConfig` of service-host returns it. */
export interface Setting {
  readonly variable: string;
  readonly description: string;
  readonly required: boolean;
  readonly default: string | undefined;
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ServiceSettings = Readonly<Record<string, readonly Setting[]>>;

/** The services whose configuration `src/config.ts` exports as `config`. */
export const HOSTED = hostedServices();

/** Programs that are not hosted as services and have only their own settings. */
export const PROGRAMS = services().flatMap(({ name, hosted }) => (hosted ? [] : [name]));

/** Removes the path of the checkout from defaults. */
const shown = (value: string, root: string): string => value.replace(`${root}/`, '');

const same = (one: Setting) => (other: Setting) => JSON.stringify(one) === JSON.stringify(other);

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('<', String.raw`\<`);

const rowOf = (root: string) => (setting: Setting) => {
  const fallback = setting.required ? '**required**' : setting.default ? `\`${shown(setting.default, root)}\`` : '';
  return [`\`${setting.variable}\``, cell(fallback), cell(setting.description)];
};

/** Formats an aligned Markdown table. */
const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...body.map(line)];
};

const section = (title: string, settings: readonly Setting[], root: string): string[] => [
  `## ${title}`,
  '',
  ...table([['Variable', 'Default', 'Meaning'], ...settings.map(rowOf(root))]),
  '',
];

/** docs/configuration.md: the settings of all services, of all services with a database, and of each service and program. */
export const configurationPage = (services: ServiceSettings, programs: ServiceSettings, root: string): string => {
  const all = Object.values(services);
  const withDatabase = all.filter(settings => settings.some(({ variable }) => variable === 'POSTERN_DATABASE_URL'));
  const inAll = (settings: readonly (readonly Setting[])[]) =>
    (settings[0] ?? []).filter(setting => settings.every(others => others.some(same(setting))));
  const everywhere = inAll(all);
  const ofDatabases = inAll(withDatabase).filter(setting => !everywhere.some(same(setting)));
  const shared = [...everywhere, ...ofDatabases];
  return [
    '# Configuration',
    '',
    'Environment variables of the services, generated from their typed configuration by `node tools/checks/configuration.mjs`.',
    'An empty variable counts as not set. `POSTERN_…_FILE` names a file with the value of `POSTERN_…` instead, such as a systemd',
    'credential or a secret of a container. A service with invalid settings lists them in one message and exits with',
    'exit code 2. Topics are explained in [operations.md](operations.md). The load balancer of web services has only',
    'the settings in its own section.',
    '',
    ...section('Every service', everywhere, root),
    ...section('Every service with a database', ofDatabases, root),
    ...Object.entries(services).flatMap(([service, settings]) =>
      section(
        service,
        settings.filter(setting => !shared.some(same(setting))),
        root,
      ),
    ),
    ...Object.entries(programs).flatMap(([program, settings]) => section(program, settings, root)),
  ].join('\n');
};
