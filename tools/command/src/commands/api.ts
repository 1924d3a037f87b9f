import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { command, type Invocation, invocation } from '../command-line.js';
import { UsageError } from '../errors.js';
import { settingsOf } from './settings.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface ApiOptions {
  readonly input?: string;
  readonly json?: boolean;
}

/** `postern api`: calls an operation that has no command of its own. */
export const api = (): Command =>
  command('api', 'Call any operation of the API reference with the stored credentials', [
    'postern api GET /api/v1/projects',
    'postern api POST /api/v1/projects name=Shop',
    'postern api GET /dashboard/api/audit-log limit=5',
    'postern api POST /emails --input email.json',
  ])
    .addArgument(new Argument('<method>').argParser(methodOf))
    .argument(
      '<path>',
      'path of the operation: /emails…, /scheduled-emails…, /webhook-listeners…, /api/v1/… or /dashboard/api/…',
    )
    .argument('[fields...]', 'name=value: fields of the query of a GET, otherwise of the body')
    .option('--input <file>', 'file with the JSON body; - is standard input')
    .addHelpText(
      'after',
      '\nThe path decides which credential is sent: the email key, the platform key or the session.',
    )
    .action(async (method: Method, path: string, fields: readonly string[], options: ApiOptions) => {
      const invoked = invocation(options);
      const given = settingsOf(fields);
      const isRead = method === 'GET';
      if (options.input !== undefined && (isRead || fields.length > 0))
        throw new UsageError(`--input is the whole body: leave out ${isRead ? 'it for a GET' : 'the fields'}.`);
      const body = options.input === undefined ? given : await bodyIn(options.input, invoked);
      const text = await invoked.context.call(method, path, isRead ? { query: queryOf(given) } : { body });
      invoked.output.result(parsed(text), text);
    });

type Method = (typeof METHODS)[number];

const methodOf = (text: string): Method => {
  const method = METHODS.find(one => one === text.toUpperCase());
  if (!method) throw new UsageError(`There is no method ${text}. The methods are ${METHODS.join(', ')}.`);
  return method;
};

const queryOf = (fields: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : `${value}`,
    ]),
  );

const bodyIn = async (file: string, { input }: Invocation): Promise<unknown> => {
  try {
    return JSON.parse(file === '-' ? await input.all() : readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(
      `The body in ${file === '-' ? 'standard input' : file} cannot be read: ${(error as Error).message}`,
    );
  }
};

/** Some operations answer with other text, such as CSV. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
