import { type ComposeFile, type ComposeInput, isSection, listOf, type Section } from './compose-file.js';
import type { Report } from './report.js';

/** A variable of a service. `secret` if its value is not in the Compose file, so that it is never printed. */
export interface Variable {
  readonly value: string;
  readonly secret: boolean;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;
const RESERVED = /^(?:PATH|DISK_PATH|POSTERN_(?!(?:URL|EMAIL_KEY|PLATFORM_KEY|WEBHOOK_SECRET)$).*)$/;

/** The variables of a service: those of its `env_file`, which `environment` overrides. */
export const variablesOf = (
  name: string,
  service: Section,
  file: ComposeFile,
  input: Pick<ComposeInput, 'envFile' | 'lookup'>,
  report: Report,
): Map<string, Variable> => {
  const at = `services.${name}`;
  const variables = new Map<string, Variable>();
  for (const entry of listOf(service['env_file'])) {
    const { path, required } = isSection(entry) ? entry : { path: entry, required: true };
    const values = input.envFile(String(path));
    if (values) for (const [key, value] of Object.entries(values)) variables.set(key, { value, secret: true });
    else if (required !== false)
      report.refuse(`${at}.env_file`, `There is no file ${String(path)}. Create it, or remove the line.`);
  }
  for (const { key, value, path } of entriesOf(service['environment'], `${at}.environment`)) {
    const outside = value === undefined ? input.lookup(key) : undefined;
    if (value !== undefined) variables.set(key, { value, secret: file.external.has(path) });
    else if (outside !== undefined) variables.set(key, { value: outside, secret: true });
  }
  for (const key of variables.keys()) {
    if (!NAME.test(key))
      report.refuse(`${at}.environment`, `${JSON.stringify(key)} is no name of a variable. Rename it.`);
    else if (RESERVED.test(key))
      report.refuse(`${at}.environment.${key}`, 'Postern sets such a variable. Remove it, or rename it.');
  }
  return variables;
};

interface Entry {
  readonly key: string;
  /** Undefined if the value is that of the environment. */
  readonly value: string | undefined;
  readonly path: string;
}

/** The entries of `environment` or `args`, which are a map or a list of `KEY=value`. */
export const entriesOf = (value: unknown, at: string): readonly Entry[] =>
  isSection(value)
    ? Object.entries(value).map(([key, each]) => ({
        key,
        value: each === null || each === undefined ? undefined : String(each),
        path: `${at}.${key}`,
      }))
    : listOf(value).map((each, index) => {
        const [, key = '', , text] = /^([^=]*)(=([\s\S]*))?$/.exec(String(each)) ?? [];
        return { key, value: text, path: `${at}.${index}` };
      });
