import { STATUS_CODES } from 'node:http';
import { admitPlatformCall } from '@postern/contracts';
import { sizeOf } from '../admission/body-reader.js';
import { codeOfStatus } from '../errors/error-code.js';
import { STATUS_OF_REFUSAL } from '../errors/refusal-status.js';
import type { ResponseHeader } from './describe.js';
import { errorContentOf } from './errors.js';
import type { Operation } from './operations.js';
import { OUTCOME_UNKNOWN, REPLAYED_HEADER } from './repeatable.js';
import { type AnswerSchemas, nameOfReply } from './schemas.js';

const RATE_LIMIT_HEADERS: Readonly<Record<string, ResponseHeader>> = {
  'RateLimit-Limit': { description: 'Calls that the key may make in any 60 seconds.', type: 'integer' },
  'RateLimit-Remaining': { description: 'Calls that the key may make at once.', type: 'integer' },
  'RateLimit-Reset': { description: 'Seconds until another call is available.', type: 'integer' },
};

/** All responses of an operation by status. `references` collects the components that they reference. */
export const responsesOf = (operation: Operation, answers: AnswerSchemas, references: Set<string>): object => {
  const success = { ...headersOf(operation), ...contentOf(operation, answers, references) };
  const others = [...reasonsOf(operation)].map(([status, reasons]) => [
    status,
    {
      description: reasons.flatMap(({ text }) => text || []).join(' ') || (STATUS_CODES[status] ?? ''),
      ...(status < 300 ? success : {}),
      ...(status >= 400 ? { headers: errorHeadersOf(reasons), ...errorContentOf(operation, status) } : {}),
    },
  ]);
  return { [operation.status]: { description: 'Success.', ...success }, ...Object.fromEntries(others) };
};

const headersOf = ({ responseHeaders, platform, repeatable }: Operation): { headers?: object } => {
  const described = {
    ...(responseHeaders ?? (platform ? RATE_LIMIT_HEADERS : {})),
    ...(repeatable ? REPLAYED_HEADER : {}),
  };
  const headers = Object.entries(described).map(([name, header]) => {
    const { description, type } = typeof header === 'string' ? { description: header, type: 'string' } : header;
    return [name, { description, schema: { type } }];
  });
  return headers.length > 0 ? { headers: Object.fromEntries(headers) } : {};
};

const contentOf = (operation: Operation, answers: AnswerSchemas, references: Set<string>): { content?: object } => {
  const request = operation.requests.at(-1);
  const reply = operation.reply ?? request?.reply;
  const example = operation.examples?.reply;
  const withExample = example === undefined ? {} : { example };
  const text = operation.isText ? { schema: { type: 'string' }, ...withExample } : {};
  const others = [operation.contentType ?? []].flat().map(type => [type, text]);
  if (!reply || operation.isText) return others.length > 0 ? { content: Object.fromEntries(others) } : {};
  const schema = answers.reference(
    reply,
    nameOfReply(operation.reply ? kebabCased(operation.publicId) : (request?.name ?? operation.id)),
  );
  references.add(schema.$ref);
  const json = { schema, ...withExample };
  return { content: { 'application/json': json, ...Object.fromEntries(others) } };
};

/** The reason for a response status, and the error code of the response. */
interface Reason {
  readonly text: string;
  readonly code: string;
}

const errorHeadersOf = (reasons: readonly Reason[]): object => ({
  'Error-Code': {
    description: 'What went wrong, for programs.',
    schema: { type: 'string', enum: [...new Set(reasons.map(({ code }) => code))] },
  },
});

const reasonsOf = (operation: Operation): Map<number, Reason[]> => {
  const reasons = new Map<number, Reason[]>();
  const add = (status: number, text: string, ...codes: readonly string[]) => {
    const known = reasons.get(status) ?? [];
    const added = (codes.length > 0 ? codes : [codeOfStatus(status)])
      .map((code, place) => ({ text: place === 0 ? text : '', code }))
      // Admission and the request may refuse with the same code.
      .filter(one => !known.some(other => other.code === one.code && other.text === one.text));
    reasons.set(status, [...known, ...added]);
  };
  for (const [status, reason] of Object.entries(operation.also ?? {}))
    add(Number(status), reason, ...(operation.codes?.[Number(status)] ?? []));
  for (const code of [
    ...admissionRefusalsOf(operation),
    ...operation.requests.flatMap(({ refusals }) => Object.keys(refusals)),
  ]) {
    const status = STATUS_OF_REFUSAL.get(code);
    if (status) add(status, `\`${code}\``, code);
  }
  if (operation.body || operation.parameters.length > 0) {
    add(400, 'The request does not have the expected shape.');
  }
  if (operation.body) add(400, 'The body is not valid JSON.', 'invalid_json');
  if (operation.body) add(413, `The body is larger than ${sizeOf(operation.admission.maxBodyBytes)}.`);
  if (operation.body && !reasons.has(415)) add(415, 'The body is not application/json.');
  add(429, 'Too many requests without a valid credential from this address.');
  if (operation.session || operation.platform) add(429, 'Too many requests of this caller.');
  if (operation.session) add(401, 'The request has no valid session.', 'session_missing', 'session_invalid');
  if (operation.session) for (const [code, reason] of sessionRefusalsOf(operation)) add(403, reason, code);
  if (operation.platform) add(401, 'The request has no platform key.', 'platform_key_missing');
  if (operation.platform || operation.requests.length > 0) {
    add(503, 'Service temporarily unavailable. Try again.');
  }
  if (operation.repeatable) {
    add(503, OUTCOME_UNKNOWN, 'outcome_unknown');
    add(500, 'Internal error; the request may have been carried out.', 'outcome_unknown');
  }
  return reasons;
};

/** The reasons to refuse a call with a valid session. */
const sessionRefusalsOf = ({ admission, method }: Operation): readonly (readonly [code: string, reason: string])[] => {
  const { access, role, withoutSecondFactor } = admission;
  const needsRole = access !== 'operator' && access !== 'anyone' && role !== 'viewer';
  return [
    ...(method === 'get' ? [] : [['cross_site_request', 'The session cookie was sent by another site.'] as const]),
    ...(withoutSecondFactor ? [] : [['second_factor_missing', 'A required second factor is missing.'] as const]),
    ...(needsRole ? [['role_insufficient', `The role ${role} in the workspace is needed.`] as const] : []),
    ...(access === 'operator' ? [['not_an_operator', 'Only operators can do this.'] as const] : []),
  ];
};

/** Every call of the platform API is admitted first. Every key may read, so a GET requires no scope. */
const admissionRefusalsOf = ({ platform, method }: Operation): readonly string[] =>
  platform
    ? Object.keys(admitPlatformCall.refusals).filter(code => method !== 'get' || code !== 'insufficient_scope')
    : [];

const kebabCased = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
