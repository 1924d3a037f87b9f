import { STATUS_CODES } from 'node:http';
import { admitPlatformCall } from '@postern/contracts';
import { STATUS_OF_REFUSAL } from '../errors/refusal-status.js';
import { errorContentOf } from './errors.js';
import type { Operation } from './operations.js';
import { type AnswerSchemas, nameOfReply } from './schemas.js';

const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': 'Calls a minute that the key has.',
  'RateLimit-Remaining': 'Calls left of them.',
  'RateLimit-Reset': 'Seconds until all are back.',
};

/** Every answer of an operation by its status. `references` collects the components that they speak of. */
export const responsesOf = (operation: Operation, answers: AnswerSchemas, references: Set<string>): object => {
  const success = { ...headersOf(operation), ...contentOf(operation, answers, references) };
  const others = [...reasonsOf(operation)].map(([status, reasons]) => [
    status,
    {
      description: reasons.join(' ') || (STATUS_CODES[status] ?? ''),
      ...(status < 300 ? success : {}),
      ...(status >= 400 ? errorContentOf(operation, status) : {}),
    },
  ]);
  return { [operation.status]: { description: 'Done.', ...success }, ...Object.fromEntries(others) };
};

const headersOf = ({ responseHeaders, platform }: Operation): { headers?: object } => {
  const headers = Object.entries(responseHeaders ?? (platform ? RATE_LIMIT_HEADERS : {})).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return headers.length > 0 ? { headers: Object.fromEntries(headers) } : {};
};

const contentOf = (operation: Operation, answers: AnswerSchemas, references: Set<string>): { content?: object } => {
  const asked = operation.asks.at(-1);
  const reply = operation.reply ?? asked?.reply;
  if (!reply) return operation.contentType ? { content: { [operation.contentType]: {} } } : {};
  const schema = answers.reference(reply, nameOfReply(asked?.name ?? operation.id));
  references.add(schema.$ref);
  const example = operation.examples?.reply;
  return { content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } };
};

/** Why an operation answers with another status than its success. */
const reasonsOf = (operation: Operation): Map<number, string[]> => {
  const reasons = new Map<number, string[]>();
  const add = (status: number, reason: string) => reasons.set(status, [...(reasons.get(status) ?? []), reason]);
  for (const [status, reason] of Object.entries(operation.also ?? {})) add(Number(status), reason);
  for (const code of [
    ...admissionRefusalsOf(operation),
    ...operation.asks.flatMap(({ refusals }) => Object.keys(refusals)),
  ]) {
    const status = STATUS_OF_REFUSAL.get(code);
    if (status) add(status, `\`${code}\``);
  }
  if (operation.body || operation.parameters.some(({ schema }) => !schema.safeParse('text').success)) {
    add(400, 'The request does not have the expected shape.');
  }
  if (operation.body && !reasons.has(413)) add(413, 'The body is larger than 10 MiB.');
  if (operation.body && !reasons.has(415)) add(415, 'The body is not application/json.');
  if (operation.signedIn) add(401, 'Nobody is signed in.');
  if (operation.platform || operation.asks.length > 0) {
    add(503, 'The service behind the door does not answer; try again.');
  }
  return reasons;
};

/** A call of the platform API is admitted first; every key may read. */
const admissionRefusalsOf = ({ platform, method }: Operation): readonly string[] =>
  platform
    ? Object.keys(admitPlatformCall.refusals).filter(code => method !== 'get' || code !== 'insufficient_scope')
    : [];
