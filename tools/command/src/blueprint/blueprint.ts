import { autoscaling } from '@postern/contracts/autoscaling';
import { firstByteTimeout, healthCheck } from '@postern/contracts/health-checks';
import { parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { UsageError } from '../errors.js';

const name = z.string().min(1).max(100);
const text = z.string().min(1).max(4_096);
const count = z.int().min(0).max(20);

const secret = z
  .strictObject({ secret: z.literal(true) })
  .describe('The value is set with `postern env set --secret`.');
const variable = z
  .union([z.string(), z.number(), z.boolean(), secret])
  .describe('The value, or `{secret: true}` for a secret, whose value is never in the file.');

export const service = z.strictObject({
  repository: z.string().min(1).max(2_048).optional().describe('The Git repository that is built.'),
  image: z.string().min(1).max(512).optional().describe('The image of a container registry, instead of a repository.'),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('The port of the web service; 3000 if absent, or the port that the image exposes.'),
  branch: z.string().min(1).max(255).optional().describe('The default branch of the repository if absent.'),
  root_directory: z.string().max(255).optional().describe('The folder that is built and started.'),
  watch_paths: z.array(z.string()).max(100).optional().describe('A push deploys only if it changes a matching file.'),
  dockerfile_path: z
    .string()
    .max(512)
    .optional()
    .describe('The Dockerfile that is built, relative to `root_directory`.'),
  docker_target: z.string().max(128).optional().describe('The stage of the Dockerfile that is built.'),
  build_args: z
    .record(z.string(), z.string().max(4_096))
    .optional()
    .describe(`Values of the ARG instructions of the Dockerfile. \`\${NAME}\` is a variable of the web service.`),
  build_command: text.optional(),
  start_command: text.optional(),
  release_command: text.optional(),
  health_check_path: z.string().max(1_024).optional(),
  health_check: healthCheck.optional(),
  autoscaling: autoscaling.optional().describe('Targets for the number of instances; 70 % of the CPU if absent.'),
  first_byte_timeout_seconds: firstByteTimeout.optional(),
  drain_seconds: z.int().min(1).max(300).optional(),
  min_instances: z.int().min(1).max(20).default(1),
  max_instances: z.int().min(1).max(20).default(1),
  instance: z.strictObject({ memory_mib: z.int().min(1), cpu_millicores: z.int().min(1) }).optional(),
  environment: z.enum(['production', 'staging', 'development']).default('production'),
  auto_deploy: z.boolean().default(true),
  previews: z.boolean().default(false).describe('Pull and merge requests get web services of their own.'),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/), variable).default({}),
  databases: z
    .record(name, z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/))
    .default({})
    .describe('Attached databases by name, with the variable that gets the connection URL.'),
});

const ofService = { service: name.describe('The name of a web service in this file.') };

export const blueprint = z
  .strictObject({
    project: name.describe('The project; it is created if it does not exist.'),
    services: z.record(name, service).default({}).describe('Web services by name.'),
    workers: z
      .record(z.string().regex(/^(?:.{1,100}\/)?[A-Za-z0-9_-]{1,63}$/), z.strictObject({ ...ofService, count }))
      .default({})
      .describe('Other process types of the Procfile by name, or by `service/name`. They get no traffic.'),
    cron: z
      .record(
        z.string().regex(/^(?:.{1,100}\/)?[a-z0-9-]{1,40}$/),
        z.strictObject({
          ...ofService,
          schedule: text.describe('Minute, hour, day of month, month and day of week.'),
          time_zone: z.string().default('UTC'),
          command: text,
          overlap: z.enum(['skip', 'replace', 'allow']).default('skip'),
          time_limit_seconds: z.int().min(1).max(3_600).optional(),
          enabled: z.boolean().default(true),
        }),
      )
      .default({})
      .describe('Cron jobs by name, or by `service/name`.'),
    databases: z
      .record(
        name,
        z.strictObject({
          kind: z.enum(['relational', 'key_value']),
          plan: z.string().optional(),
          version: z
            .string()
            .regex(/^[1-9][0-9]$/, 'must be a major version of PostgreSQL, such as "17"')
            .optional()
            .describe('Major version of PostgreSQL of a new relational database.'),
        }),
      )
      .default({})
      .describe('Databases of the workspace by name. They are created, and never changed or deleted.'),
    disks: z
      .record(name, z.strictObject({ size_mib: z.int().min(1) }))
      .default({})
      .describe('Disks by the name of their web service. They can only grow.'),
    domains: z.record(z.string().min(1).max(253), z.strictObject(ofService)).default({}).describe('Custom domains.'),
    email: z
      .record(name, z.strictObject({ domains: z.array(z.string().min(1).max(253)).default([]) }))
      .default({})
      .describe('Email services by name, with their sending domains. They need `postern login --email`.'),
  })
  .describe('A project of Postern: applied by `postern up`, written by `postern export`.');

/** The name in a key `name` or `service/name`. */
export const nameIn = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

export type Blueprint = z.output<typeof blueprint>;
export type ServiceBlueprint = z.output<typeof service>;

export const SCHEMA_PATH = '/docs/postern.schema.json';

/** The JSON schema of the file, for editors. */
export const blueprintSchema = (): object => z.toJSONSchema(blueprint, { io: 'input', target: 'draft-2020-12' });

/** Reads the text of a blueprint. @throws UsageError that names each invalid field and its line. */
export const readBlueprint = (file: string, content: string): Blueprint => {
  const document = parseDocument(content, { uniqueKeys: true });
  const [syntax] = document.errors;
  if (syntax) throw new UsageError(`${file} is not valid YAML: ${syntax.message.split('\n')[0]}`);
  // Aliases can make a small file endless.
  return checkedBlueprint(file, document.toJS({ maxAliasCount: 100 }) ?? {});
};

/** @throws UsageError that names each invalid field. */
export const checkedBlueprint = (file: string, value: unknown): Blueprint => {
  const parsed = blueprint.safeParse(value);
  if (!parsed.success) {
    const lines = parsed.error.issues.slice(0, 20).map(issue => `  ${describeIssue(issue)}`);
    throw new UsageError(
      `${file} is not valid:\n${lines.join('\n')}\nThe fields are described at ${SCHEMA_PATH} of your Postern.`,
    );
  }
  const missing = inconsistencies(parsed.data);
  if (missing.length > 0) throw new UsageError(`${file} is not valid:\n${missing.map(line => `  ${line}`).join('\n')}`);
  return parsed.data;
};

const describeIssue = ({ path, message, code, ...issue }: z.core.$ZodIssue): string => {
  const at = path.length === 0 ? 'The file' : path.join('.');
  if (code === 'unrecognized_keys' && 'keys' in issue)
    return `${at}: unknown field ${issue.keys.join(', ')}. Remove it, or check its spelling.`;
  return `${at}: ${message}`;
};

/** The sources of web services, and references between the sections; databases may exist already. */
const inconsistencies = ({ services, workers, cron, disks, domains }: Blueprint): readonly string[] => {
  const of = (section: string, entries: Readonly<Record<string, { readonly service: string }>>) =>
    Object.entries(entries).flatMap(([key, entry]) =>
      Object.hasOwn(services, entry.service)
        ? []
        : [
            `${section}.${key}.service: there is no web service ${entry.service} in services. Add it, or correct the name.`,
          ],
    );
  const sources = Object.entries(services).flatMap(([key, { repository, image }]) =>
    (repository === undefined) === (image === undefined)
      ? [`services.${key}: a web service has either a repository or an image.`]
      : [],
  );
  return [
    ...sources,
    ...of('workers', workers),
    ...of('cron', cron),
    ...of('domains', domains),
    ...of('disks', Object.fromEntries(Object.keys(disks).map(key => [key, { service: key }]))),
  ];
};

/** The text of a blueprint, without empty sections and defaults. */
export const writeBlueprint = (content: Blueprint, schemaUrl: string): string =>
  `# yaml-language-server: $schema=${schemaUrl}\n${stringify(withoutDefaults(content), { lineWidth: 0 })}`;

const withoutDefaults = (value: Blueprint): unknown => {
  const defaults = service.parse({}) as Record<string, unknown>;
  const services = Object.entries(value.services).map(([key, settings]) => [
    key,
    Object.fromEntries(
      Object.entries(settings).filter(
        ([field, set]) => set !== undefined && JSON.stringify(set) !== JSON.stringify(defaults[field]),
      ),
    ),
  ]);
  const sections = { ...value, services: Object.fromEntries(services) };
  return Object.fromEntries(
    Object.entries(sections).filter(([, section]) => typeof section === 'string' || Object.keys(section).length > 0),
  );
};
