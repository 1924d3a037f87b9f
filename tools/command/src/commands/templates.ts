import { readFileSync } from 'node:fs';
import type { EmailRecord } from '@postern/sdk';
import type { Command } from 'commander';
import { command, group, type Invocation, invocation, repeated } from '../command-line.js';
import { emailServiceNamed } from '../email-services.js';
import { EXIT, UsageError } from '../errors.js';
import { printable } from '../output/output.js';

interface Template {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly variables: readonly string[];
  readonly updated_at: string;
}

interface ServiceOption {
  readonly service?: string;
  readonly json?: boolean;
}

interface Content {
  readonly subject: string;
  readonly htmlFile: string;
  readonly textFile?: string;
}

interface Variables {
  readonly variables?: string;
  readonly templateVersion?: string;
}

const SERVICE = ['--service <id or name>', 'email service; required if there are several'] as const;
const VARIABLES = ['--variables <json>', 'JSON object with the variables, or @file'] as const;

/** `postern templates …`: stored templates, with the session of the dashboard. */
export const templates = (): Command =>
  group('templates', 'Manage stored templates', [list(), push(), preview(), test(), remove()]);

const list = (): Command =>
  command('list', 'List templates', ['postern templates list'])
    .option(...SERVICE)
    .action(async (options: ServiceOption) => {
      const { output, all } = await opened(options);
      output.rows(
        all,
        ['NAME', 'VERSION', 'UPDATED', 'VARIABLES'],
        all.map(({ name, version, updated_at, variables }) => [
          name,
          String(version),
          updated_at,
          variables.join(', '),
        ]),
        'No templates.',
      );
    });

const push = (): Command =>
  command('push', 'Create a template, or its next version if the content changed', [
    'postern templates push receipt --subject "Receipt {{order}}" --html-file receipt.html',
  ])
    .argument('<name>', 'name of the template')
    .option(...SERVICE)
    .requiredOption('--subject <text>', 'subject, with {{variables}}')
    .requiredOption('--html-file <path>', 'file with the HTML body; - is standard input')
    .option('--text-file <path>', 'file with the plain-text body')
    .action(async (name: string, options: ServiceOption & Content) => {
      const { output, all, path, dashboard } = await opened(options);
      const { subject, htmlFile, textFile } = options;
      const text = textFile === undefined ? undefined : contentsOf(textFile);
      const content = { subject, html: contentsOf(htmlFile) };
      const known = all.find(template => template.name === name);
      const pushed = known
        ? await dashboard.patch<Template>(`${path}/${known.id}`, { ...content, text: text ?? null })
        : await dashboard.post<Template>(path, { name, ...content, ...(text === undefined ? {} : { text }) });
      output.result(pushed, `${pushed.id}  ${printable(name)} version ${pushed.version}`);
    });

const preview = (): Command =>
  command('preview', 'Render a template without sending it', [
    `postern templates preview receipt --variables '{"order": 4711}'`,
  ])
    .argument('<name>', 'name of the template')
    .option(...SERVICE)
    .option(...VARIABLES)
    .option('--template-version <n>', 'another version than the latest')
    .action(async (name: string, options: ServiceOption & Variables) => {
      const { output, pathOf, dashboard } = await opened(options);
      const rendered = await dashboard.post<{ subject: string; html: string; text: string }>(
        `${pathOf(name)}/preview`,
        renderingOf(options),
      );
      output.result(rendered, printable(`${rendered.subject}\n\n${rendered.text}`));
    });

const test = (): Command =>
  command('test', 'Send a message with a template', [
    `postern templates test receipt --from orders@example.com --to ada@example.com --variables @receipt.json`,
  ])
    .argument('<name>', 'name of the template')
    .option(...SERVICE)
    .option(...VARIABLES)
    .option('--template-version <n>', 'another version than the latest')
    .requiredOption('--from <address>', 'sender')
    .requiredOption('--to <address>', 'recipient; repeat it for several', repeated)
    .action(async (name: string, options: ServiceOption & Variables & { from: string; to: readonly string[] }) => {
      const { output, pathOf, dashboard } = await opened(options);
      const { from, to } = options;
      const body = { from, to, ...renderingOf(options) };
      const record = await dashboard.post<EmailRecord>(`${pathOf(name)}/test`, body);
      output.result(record, `${record.id}  ${record.status}\n${printable(record.message)}`);
      if (record.status === 'failed') process.exitCode = EXIT.failed;
    });

const remove = (): Command =>
  command('delete', 'Delete a template with all versions', ['postern templates delete receipt'])
    .argument('<name>', 'name of the template')
    .option(...SERVICE)
    .action(async (name: string, options: ServiceOption) => {
      const { output, pathOf, dashboard } = await opened(options);
      output.result(await dashboard.delete(pathOf(name)), `Deleted ${printable(name)}`);
    });

/** The templates of the service that the options name. */
const opened = async (options: ServiceOption) => {
  const { context, output }: Invocation = invocation(options);
  const dashboard = context.dashboard();
  const { id } = await emailServiceNamed(dashboard, options.service);
  const path = `/email-services/${id}/templates`;
  const all = await dashboard.get<Template[]>(path);
  const pathOf = (name: string): string => {
    const found = all.find(template => template.name === name || template.id === name);
    if (!found) throw new UsageError(`The email service has no template ${JSON.stringify(name)}.`);
    return `${path}/${found.id}`;
  };
  return { dashboard, output, path, all, pathOf };
};

const renderingOf = ({ variables, templateVersion }: Variables) => ({
  variables: variables === undefined ? {} : variablesFrom(variables),
  ...(templateVersion === undefined ? {} : { version: Number(templateVersion) }),
});

const variablesFrom = (text: string): unknown => {
  const json = text.startsWith('@') ? contentsOf(text.slice(1)) : text;
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError('--variables requires a JSON object, or @ and the path of a file with one.');
  }
};

const contentsOf = (path: string): string => {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
};
