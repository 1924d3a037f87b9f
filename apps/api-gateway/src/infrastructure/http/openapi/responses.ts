import { STATUS_CODES } from 'node:http';
import { admitPlatformCall } from '@postern/contracts';
import { sizeOf } from '../admission/body-reader.js';
import { STATUS_OF_REFUSAL } from '../errors/refusal-status.js';
import { errorContentOf } from './errors.js';
import type { Operation } from './operations.js';
import { type AnswerSchemas, nameOfReply } from './schemas.js';

const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': 'Calls per minute that the key may make.',
  'RateLimit-Remaining': 'Calls left in the current minute.',
  'RateLimit-Reset': 'Seconds until all calls are available again.',
};

/** Every answer of an operation by its status. `references` collects the components that they refer to. */
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
  return { [operation.status]: { description: 'Success.', ...success }, ...Object.fromEntries(others) };
};

const headersOf = ({ responseHeaders, platform }: Operation): { headers?: object } => {
  const headers = Object.entries(responseHeaders ?? (platform ? RATE_LIMIT_HEADERS : {})).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return headers.length > 0 ? { headers: Object.fromEntries(headers) } : {};
};

const contentOf = (operation: Operation, answers: AnswerSchemas, references: Set<string>): { content?: object } => {
  const request = operation.requests.at(-1);
  const reply = operation.reply ?? request?.reply;
  if (!reply) return operation.contentType ? { content: { [operation.contentType]: {} } } : {};
  const schema = answers.reference(reply, nameOfReply(request?.name ?? operation.id));
  references.add(schema.$ref);
  const example = operation.examples?.reply;
  return { content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } };
};

/** Why an operation answers with a status other than its success. */
const reasonsOf = (operation: Operation): Map<number, string[]> => {
  const reasons = new Map<number, string[]>();
  const add = (status: number, reason: string) => reasons.set(status, [...(reasons.get(status) ?? []), reason]);
  for (const [status, reason] of Object.entries(operation.also ?? {})) add(Number(status), reason);
  for (const code of [
    ...admissionRefusalsOf(operation),
    ...operation.requests.flatMap(({ refusals }) => Object.keys(refusals)),
  ]) {
    const status = STATUS_OF_REFUSAL.get(code);
    if (status) add(status, `\`${code}\``);
  }
  if (operation.body || operation.parameters.length > 0) {
    add(400, 'The request does not have the expected shape.');
  }
  if (operation.body) add(413, `The body is larger than ${sizeOf(operation.admission.maxBodyBytes)}.`);
  if (operation.body && !reasons.has(415)) add(415, 'The body is not application/json.');
  add(429, 'Too many requests without a valid credential from this address.');
  if (operation.session) add(401, 'The request has no valid session.');
  if (operation.platform || operation.requests.length > 0) {
    add(503, 'Service temporarily unavailable. Try again.');
  }
  return reasons;
};

/** Every call of the platform API is admitted first. Every key may read, so a GET needs no scope. */
const admissionRefusalsOf = ({ platform, method }: Operation): readonly string[] =>
  platform
    ? Object.keys(admitPlatformCall.refusals).filter(code => method !== 'get' || code !== 'insufficient_scope')
    : [];
