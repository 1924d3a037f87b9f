import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readBlueprint, SCHEMA_PATH, writeBlueprint } from '../blueprint/blueprint.js';
import { readExisting } from '../blueprint/existing.js';
import { blueprintOf } from '../blueprint/export.js';
import { knownIds, type Plan, planOf } from '../blueprint/plan.js';
import type { Step } from '../blueprint/steps.js';
import { command, type Invocation, invocation } from '../command-line.js';
import { one } from '../email-services.js';
import { UsageError } from '../errors.js';

const FILE = 'postern.yaml';

interface UpOptions {
  readonly file: string;
  readonly plan?: boolean;
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `postern up`: makes a project match its blueprint. */
export const up = (): Command =>
  command('up', 'Create and change what postern.yaml describes, after showing the plan', [
    'postern up',
    'postern up --plan',
    'postern up --file deploy/postern.yaml --yes',
    'postern up --prune',
  ])
    .option('--file <path>', 'the blueprint', FILE)
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
  if (!existsSync(options.file))
    throw new UsageError(`There is no file ${options.file}. \`postern export\` writes one of an existing project.`);
  const file = readBlueprint(options.file, readFileSync(options.file, 'utf8'));
  const platform = context.platform();
  const dashboard = Object.keys(file.email).length > 0 ? context.dashboard() : undefined;
  const existing = await readExisting(platform, file.project, dashboard);
  const plan = planOf(file, existing, { prune: options.prune === true });
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

const SIGNS = { create: '+ create', change: '~ change', delete: '- delete' };

const lineOf = ({ action, what, changes }: Step): string =>
  `${SIGNS[action]}  ${what}${changes.length === 0 ? '' : `  (${changes.join(', ')})`}`;

const textOf = ({ steps, notes }: Plan): string =>
  [...(steps.length === 0 ? ['Nothing to change.'] : steps.map(lineOf)), ...notes].join('\n');

const planAsJson = ({ steps, notes }: Plan, applied: boolean): object => ({
  applied,
  steps: steps.map(({ action, what, changes }) => ({ action, what, changes })),
  notes,
});

interface ExportOptions {
  readonly project?: string;
  readonly file?: string;
  readonly email?: boolean;
  readonly json?: boolean;
}

/** `postern export`: writes the blueprint of a project. */
export const exportProject = (): Command =>
  command('export', 'Write a project as a blueprint, without the values of secrets', [
    `postern export > ${FILE}`,
    'postern export --project Shop --file postern.yaml',
  ])
    .option('--project <id or name>', 'the project; the only one by default')
    .option('--file <path>', 'where to write it; standard output by default. An existing file is not replaced')
    .option('--email', 'also the email services of the workspace, which needs a session')
    .action(async (options: ExportOptions) => {
      const { context, output } = invocation(options);
      const platform = context.platform();
      const project = one(await platform.projects.list(), options.project, 'project', 'with --project (id or name)');
      const dashboard = options.email ? context.dashboard() : undefined;
      const content = blueprintOf(project.name, await readExisting(platform, project.name, dashboard));
      const text = writeBlueprint(content, `${context.url}${SCHEMA_PATH}`);
      if (options.file === undefined) {
        output.result(content, text.trimEnd());
        return;
      }
      if (existsSync(options.file)) throw new UsageError(`${options.file} exists already; nothing was written.`);
      writeFileSync(options.file, text);
      output.result(content, `Written to ${options.file}. \`postern up --plan\` shows what differs.`);
    });
