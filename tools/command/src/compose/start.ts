import type { ServiceBlueprint } from '../blueprint/blueprint.js';
import { type ComposeFile, isSection, type Section } from './compose-file.js';
import type { Report } from './report.js';

type Start = Partial<
  Pick<ServiceBlueprint, 'start_command' | 'health_check_path' | 'min_instances' | 'max_instances' | 'drain_seconds'>
>;

/** How a service is started, checked and stopped, and how often it runs. */
export const startOf = (name: string, service: Section, file: ComposeFile, report: Report): Start => {
  const command = startCommandOf(name, service, file, report);
  const path = healthCheckPathOf(name, service['healthcheck'], file, report);
  const deploy = isSection(service['deploy']) ? service['deploy'] : {};
  const replicas = Number(deploy['replicas'] ?? service['scale'] ?? 1);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > 20)
    report.refuse(`services.${name}.deploy.replicas`, 'It must be 1 to 20. Correct it.');
  const grace = service['stop_grace_period'];
  return {
    ...(command !== undefined && { start_command: command }),
    ...(path !== undefined && { health_check_path: path }),
    ...(replicas > 1 && { min_instances: replicas, max_instances: replicas }),
    ...(grace !== undefined && { drain_seconds: secondsOf(String(grace)) }),
  };
};

const startCommandOf = (
  name: string,
  { command, entrypoint }: Section,
  file: ComposeFile,
  report: Report,
): string | undefined => {
  const words = [entrypoint, command].map(shellCommand).filter(words => words !== '');
  if (words.length === 0) return undefined;
  for (const key of ['command', 'entrypoint'])
    if (isExternal(`services.${name}.${key}`, file))
      report.refuse(
        `services.${name}.${key}`,
        'It contains a value of the environment or of .env, which would not be secret. Put the value into environment, and write $$NAME here.',
      );
  if (entrypoint === undefined || entrypoint === null)
    report.note(
      `The command of ${name} becomes its start_command, which replaces the ENTRYPOINT of the image as well. If it has one, set entrypoint.`,
    );
  return words.join(' ');
};

/** Whether a setting, or a part of it, is not in the file, so that it can be secret. */
const isExternal = (setting: string, { external }: ComposeFile): boolean =>
  [...external].some(path => path === setting || path.startsWith(`${setting}.`));

const shellCommand = (value: unknown): string =>
  Array.isArray(value) ? value.map(word => quoted(String(word))).join(' ') : String(value ?? '').trim();

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const LOCAL_URL = /\bhttps?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::[^/\s'"]{1,40})?(\/[^\s'"|;&)]*)?/;

const healthCheckPathOf = (name: string, check: unknown, file: ComposeFile, report: Report): string | undefined => {
  if (!isSection(check) || check['disable'] === true) return undefined;
  const test = [check['test'] ?? []].flat().map(String).join(' ');
  if (test === '' || test === 'NONE') return undefined;
  if (isExternal(`services.${name}.healthcheck.test`, file)) {
    report.note(
      `The healthcheck of ${name} is ignored: it contains a value of the environment or of .env. Set health_check_path in a postern.yaml.`,
    );
    return undefined;
  }
  const url = /\b(?:curl|wget)\b/.test(test) ? LOCAL_URL.exec(test) : null;
  if (url) return url[1] ?? '/';
  report.note(`The healthcheck of ${name} is ignored: a check is a request to a path. Use curl or wget with one.`);
  return undefined;
};

/** Such as `1m30s`, rounded up. */
const secondsOf = (duration: string): number => {
  const units: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1, ms: 0.001 };
  const parts = [...duration.matchAll(/(\d+)(ms|h|m|s)/g)];
  return Math.ceil(parts.reduce((total, [, count, unit = '']) => total + Number(count) * (units[unit] ?? 0), 0));
};
