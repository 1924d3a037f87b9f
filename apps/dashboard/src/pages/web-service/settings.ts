import type { WebService } from '@postern/contracts';
import type { Values } from '../../components/form.js';
import { SCOPES } from '../platform/scopes.js';
import { parseBuildArguments, textOfBuildArguments } from './build-arguments.js';
import { DEFAULT_SIZE } from './instance-limits.js';
import { formatProcesses, parseProcesses } from './processes.js';

/** A setting of a web service: what its field says, and how its text becomes a value of the API. */
export interface Setting {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  /** The least and the greatest number; a setting without is text. */
  readonly range?: readonly [number, number];
  /** Lines of a text area. */
  readonly rows?: number;
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly format?: (value: never) => string;
  readonly parse?: (text: string) => unknown;
}

const seconds = (label: string, longest: number, hint: string): Setting => ({
  label: `${label} in seconds`,
  range: [1, longest],
  hint,
});

/** By their names in the API. The name of a field of an object begins with that of the object, such as `disk.size_mib`. */
export const SETTINGS = {
  name: { label: 'Name', required: true, maxLength: 100 },
  git_repository_url: { label: 'Git repository', required: true, maxLength: 2048 },
  branch: { label: 'Branch', hint: 'Leave empty for the repository’s default branch.' },
  root_directory: {
    label: 'Root directory',
    hint: 'The folder that is built and started, such as apps/web. Leave empty for the root of the repository.',
  },
  watch_paths: {
    label: 'Watch paths',
    hint: 'A push deploys only if it changes a matching file, such as apps/web/** !**/*.md. Separate patterns by spaces.',
    format: (paths: readonly string[]) => paths.join(' '),
    parse: text => text.split(/\s+/).filter(Boolean),
  },
  image: { label: 'Image', required: true, maxLength: 512, hint: 'Each deployment resolves a tag to a digest.' },
  port: { label: 'Port', range: [1, 65_535] },
  build_command: { label: 'Build command' },
  dockerfile_path: {
    label: 'Dockerfile path',
    hint: 'Such as docker/web.Dockerfile, relative to the root directory. Leave empty for the file Dockerfile, if there is one.',
  },
  docker_target: { label: 'Dockerfile target', hint: 'The stage that is built. Leave empty for the last one.' },
  build_args: {
    label: 'Build arguments',
    rows: 3,
    placeholder: 'NODE_VERSION=24',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the user writes
    hint: 'One NAME=value per line. ${NAME} in a value is a variable of the web service.',
    format: textOfBuildArguments,
    parse: parseBuildArguments,
  },
  start_command: { label: 'Start command' },
  release_command: {
    label: 'Release command',
    hint: 'Runs once with each new build before it gets traffic, such as a database migration. If it fails, the deployment fails.',
  },
  health_check_path: {
    label: 'Health check path',
    hint: 'Leave empty to check only that the port accepts connections.',
  },
  environment: { label: 'Environment', required: true, options: SCOPES },
  min_instances: { label: 'Minimum instances', range: [1, 20], required: true },
  max_instances: { label: 'Maximum instances', range: [1, 20], required: true },
  processes: {
    label: 'Other processes',
    hint: 'Number of processes per process type of the Procfile, such as worker=2. New process types start with the next deployment or start.',
    format: formatProcesses,
    parse: parseProcesses,
  },
  'autoscaling.cpu_percent': {
    label: 'CPU target in percent',
    range: [1, 100],
    hint: 'An instance is added above this average. 70 if there is no target of CPU, memory or requests.',
  },
  'autoscaling.memory_percent': { label: 'Memory target in percent', range: [1, 100] },
  'autoscaling.requests_per_second': { label: 'Requests per second of an instance', range: [1, 10_000] },
  'autoscaling.idle_minutes': {
    label: 'Minutes without requests',
    range: [1, 1_440],
    hint: 'Afterwards no instance runs. The next request starts them, and waits. Leave empty to keep them running.',
  },
  'instance.memory_mib': {
    label: 'Memory in MiB',
    range: [64, 65_536],
    hint: `Leave memory and CPU empty for the default, normally ${DEFAULT_SIZE.memory_mib} MiB and ${DEFAULT_SIZE.cpu_millicores} millicores.`,
  },
  'instance.cpu_millicores': {
    label: 'CPU in millicores',
    range: [100, 64_000],
    hint: '1000 millicores are one core. Required if you set the memory.',
  },
  drain_seconds: seconds(
    'Drain time',
    300,
    'Requests still running after this time are cut off. Leave empty for the default, 30 seconds.',
  ),
  'health_check.host': {
    label: 'Host',
    hint: 'The Host header of the checks, if your app serves only known hosts. Leave empty for the host of the URL.',
  },
  'health_check.grace_seconds': seconds(
    'Grace time',
    900,
    'How long a new instance may take until its first successful check. Leave empty for the release deadline.',
  ),
  'health_check.interval_seconds': seconds('Interval', 300, 'Between two checks. Leave empty for 3 seconds.'),
  'health_check.timeout_seconds': seconds('Timeout', 60, 'How long a check may take. Leave empty for 5 seconds.'),
  'health_check.threshold': {
    label: 'Threshold',
    range: [1, 20],
    hint: 'Failed checks in a row until an instance gets no more requests. Leave empty for 3.',
  },
  first_byte_timeout_seconds: seconds(
    'First byte',
    3_600,
    'How long a response may take to begin. Leave empty for the limit of the installation.',
  ),
  'disk.size_mib': {
    label: 'Size in MiB',
    range: [16, 102_400],
    hint: 'Leave empty for no disk. A disk can grow, not shrink. Its files are kept until the web service is deleted.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
export type SettingName = keyof typeof SETTINGS;

export const settingOf = (name: SettingName): Setting => SETTINGS[name];

/** The stored value of a setting as the text of its field. */
export const textOf = (service: WebService, name: SettingName): string => {
  const value = name.split('.').reduce<unknown>((of, key) => (of as Record<string, unknown> | null)?.[key], service);
  if (value === null || value === undefined) return '';
  const { format = String } = settingOf(name);
  return format(value as never);
};

/** The changes of a PATCH, from the values of a settings form. An empty optional field removes the setting. */
export const changesOf = (values: Values): Record<string, unknown> => {
  const groups = Map.groupBy(Object.entries(values) as [SettingName, string][], ([name]) => name.split('.')[0]!);
  return Object.fromEntries(
    [...groups].map(([group, fields]) => {
      const [[name, text] = ['name', ''] as const] = fields;
      return [group, name === group ? parsed(name, text) : objectOf(fields)];
    }),
  );
};

const parsed = (name: SettingName, text: string): unknown => {
  const { parse, range, required = false } = settingOf(name);
  if (parse) return parse(text);
  if (text === '') return required && !range ? text : null;
  return range ? Number(text) : text;
};

/** Null without any value: the API resets the object. */
const objectOf = (fields: readonly (readonly [SettingName, string])[]): Record<string, unknown> | null => {
  const given = fields.filter(([, text]) => text !== '');
  if (given.length === 0) return null;
  return Object.fromEntries(given.map(([name, text]) => [name.split('.')[1], parsed(name, text)]));
};
