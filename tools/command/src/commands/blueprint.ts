import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Blueprint, readBlueprint, SCHEMA_PATH, writeBlueprint } from '../blueprint/blueprint.js';
import { readExisting } from '../blueprint/existing.js';
import { blueprintOf } from '../blueprint/export.js';
import { knownIds, planOf } from '../blueprint/plan.js';
import { lineOf, planAsJson, textOf } from '../blueprint/plan-output.js';
import { command, type Invocation, invocation } from '../command-line.js';
import type { Conversion } from '../compose/conversion.js';
import { composeFileIn, isComposeFile, readCompose } from '../compose/read-compose.js';
import { one } from '../email-services.js';
import { UsageError } from '../errors.js';

const FILE = 'postern.yaml';

interface UpOptions {
  readonly file?: string;
  readonly plan?: boolean;
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `postern up`: makes a project match its blueprint. */
export const up = (): Command =>
  command('up', 'Create and change what postern.yaml or a Compose file describes, after showing the plan', [
    'postern up',
    'postern up --plan',
    'postern up --file deploy/postern.yaml --yes',
    'postern up --file compose.yaml',
    'postern up --prune',
  ])
    .option('--file <path>', `the blueprint, or a Compose file; default: ${FILE}, or else compose.yaml`)
    .option('--plan', 'show the plan and change nothing')
    .option(
      '--prune',
      'also delete web services, variables, cron jobs and domains of the project that the file does not name',
    )
    .option('--yes', 'apply the plan without asking')
    .addHelpText(
      'after',
      '\nDatabases, disks and email services are never deleted. A new web service starts with its first deployment.',
    )
    .action(async (options: UpOptions) => apply(invocation(options), options));

const apply = async ({ context, output, input }: Invocation, options: UpOptions): Promise<void> => {
  const { blueprint: file, notes, secrets } = described(options.file);
  const platform = context.platform();
  const dashboard = Object.keys(file.email).length > 0 ? context.dashboard() : undefined;
  const existing = await readExisting(platform, file.project, dashboard);
  const plan = planOf(file, existing, { prune: options.prune === true, notes, secrets });
  if (options.plan || plan.steps.length === 0) {
    output.result(planAsJson(plan, false), textOf(plan));
    return;
  }
  if (!options.yes) {
    if (!input.isTerminal) throw new UsageError(`${textOf(plan)}\nNothing was changed: add --yes to apply this plan.`);
    output.note(textOf(plan));
    if ((await input.line('Apply this plan? Type yes')) !== 'yes') throw new UsageError('Nothing was changed.');
  }
  const target = { platform, dashboard, ids: knownIds(existing) };
  for (const step of plan.steps) {
    await step.apply(target);
    output.note(`Done: ${lineOf(step)}`);
  }
  const created = plan.steps.filter(({ action, what }) => action === 'create' && what.startsWith('service '));
  const deploy = created.map(({ what }) => `Deploy it: postern deploy ${what.slice('service '.length)}`);
  output.result(planAsJson(plan, true), [`Applied ${plan.steps.length} steps.`, ...plan.notes, ...deploy].join('\n'));
};

/** What the blueprint or the Compose file describes. */
const described = (given: string | undefined): Conversion => {
  const path = given ?? (existsSync(FILE) ? FILE : (composeFileIn('.') ?? FILE));
  if (!existsSync(path))
    throw new UsageError(`There is no file ${path}. \`postern export\` writes one of an existing project.`);
  if (isComposeFile(path)) return readCompose(path, process.env);
  return { blueprint: readBlueprint(path, readFileSync(path, 'utf8')), notes: [], secrets: new Map() };
};

interface ExportOptions {
  readonly project?: string;
  readonly from?: string;
  readonly file?: string;
  readonly email?: boolean;
  readonly json?: boolean;
}

/** `postern export`: writes the blueprint of a project, or of a Compose file. */
export const exportProject = (): Command =>
  command('export', 'Write a project or a Compose file as a blueprint, without the values of secrets', [
    `postern export > ${FILE}`,
    'postern export --project Shop --file postern.yaml',
    'postern export --from compose.yaml --file postern.yaml',
  ])
    .option('--project <id or name>', 'the project; the only one by default')
    .option('--from <compose file>', 'a Compose file instead of a project')
    .option('--file <path>', 'where to write it; standard output by default. An existing file is not replaced')
    .option('--email', 'also the email services of the workspace, which needs a session')
    .action(async (options: ExportOptions) => {
      const run = invocation(options);
      const content = options.from === undefined ? await existingProject(run, options) : converted(run, options.from);
      const text = writeBlueprint(content, `${run.context.url}${SCHEMA_PATH}`);
      if (options.file === undefined) {
        run.output.result(content, text.trimEnd());
        return;
      }
      if (existsSync(options.file)) throw new UsageError(`${options.file} exists already; nothing was written.`);
      writeFileSync(options.file, text);
      run.output.result(content, `Written to ${options.file}. \`postern up --plan\` shows what differs.`);
    });

const existingProject = async ({ context }: Invocation, options: ExportOptions): Promise<Blueprint> => {
  const platform = context.platform();
  const project = one(await platform.projects.list(), options.project, 'project', 'with --project (id or name)');
  const dashboard = options.email ? context.dashboard() : undefined;
  return blueprintOf(project.name, await readExisting(platform, project.name, dashboard));
};

const converted = ({ output }: Invocation, path: string): Blueprint => {
  const { blueprint, notes } = readCompose(path, process.env);
  for (const note of notes) output.note(note);
  return blueprint;
};
