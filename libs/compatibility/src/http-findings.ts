import type { Finding } from './findings.js';
import { type Incompatibility, incompatibilities } from './incompatibilities.js';
import { type HttpOperation, nameOf, type ReleaseContract } from './release-contract.js';

/**
 * What breaks for HTTP clients and webhook receivers of an earlier release. Nobody knows which programs call the API, so
 * everything that it promised counts.
 */
export const httpFindings = (next: ReleaseContract, released: ReleaseContract): readonly Finding[] => [
  ...Object.entries(released.http).flatMap(([route, before]) =>
    operationTexts(route, before, next, released).map(text => breaks(released, route, text)),
  ),
  ...Object.entries(released.webhooks).flatMap(([kind, before]) => {
    const now = next.webhooks[kind];
    const texts = now
      ? incompatibilities(now, before).map(
          one =>
            `${fieldOf(one)}: ${newOf(next)} sends ${one.writes}, receivers of ${nameOf(released)} read ${one.reads}`,
        )
      : [`${newOf(next)} no longer sends it, and receivers of ${nameOf(released)} expect it`];
    return texts.map(text => breaks(released, kind, `webhook ${kind}: ${text}. Keep it, and add a new kind of event.`));
  }),
];

const breaks = (released: ReleaseContract, name: string, text: string): Finding => ({
  verdict: 'breaks',
  with: released,
  cause: JSON.stringify([name, text.replaceAll(nameOf(released), '')]),
  text,
});

const newOf = ({ service }: ReleaseContract): string => `the new ${service}`;

const fieldOf = ({ path }: Incompatibility): string => (path === '' ? 'as a whole' : `field ${path}`);

const operationTexts = (
  route: string,
  before: HttpOperation,
  next: ReleaseContract,
  released: ReleaseContract,
): readonly string[] => {
  const [now, clients] = [next.http[route], `clients of ${nameOf(released)}`];
  const about = (text: string, advice: string) => `${route} (${before.operation}): ${text}. ${advice}`;
  if (!now) {
    const moved = Object.entries(next.http).find(
      ([other, { operation }]) => operation === before.operation && released.http[other] === undefined,
    );
    const text = moved ? `${newOf(next)} moved it to ${moved[0]}` : `${newOf(next)} no longer has it`;
    return [
      about(`${text}, and ${clients} call it`, `Keep answering it until ${nameOf(released)} is no longer supported.`),
    ];
  }
  const { access, replies, errors } = now;
  const statuses = Object.keys(before.replies);
  return [
    ...before.access
      .filter(one => !access.includes(one))
      .map(one =>
        about(`${newOf(next)} no longer accepts ${one}, with which ${clients} authenticate`, 'Keep accepting it.'),
      ),
    ...incompatibilities(before.request, now.request).map(one =>
      about(
        `${fieldOf(one)}: ${clients} send ${one.writes}, ${newOf(next)} ${verbOf(one)} ${one.reads}`,
        'Accept what clients send: keep the field, its type, its limits and its default, and make new fields optional.',
      ),
    ),
    ...Object.keys(replies)
      .filter(status => !statuses.includes(status))
      .map(status =>
        about(
          `${newOf(next)} answers with ${status}, ${clients} know ${statuses.join(' and ')}`,
          'Keep the status, which programs compare.',
        ),
      ),
    ...Object.entries(replies).flatMap(([status, reply]) =>
      incompatibilities(reply, before.replies[status] ?? {}).map(one =>
        about(
          `${fieldOf(one)} of the answer: ${newOf(next)} answers with ${one.writes}, ${clients} read ${one.reads}`,
          'Keep the field, and add new fields, which clients ignore.',
        ),
      ),
    ),
    ...before.errors
      .filter(error => !errors.includes(error))
      .map(error => about(errorText(error, now, next, clients), 'Programs compare status and code: keep both.')),
  ];
};

const errorText = (error: string, now: HttpOperation, next: ReleaseContract, clients: string): string => {
  const code = error.slice(error.indexOf(' ') + 1);
  const other = now.errors.find(one => one.endsWith(` ${code}`));
  return other
    ? `${newOf(next)} answers with ${other}, ${clients} know ${error}`
    : `${newOf(next)} never answers with ${error}, which ${clients} know`;
};

const verbOf = ({ kind }: Incompatibility): string => {
  if (kind === 'missing' || kind === 'not_always') return 'requires';
  if (kind === 'default') return 'uses';
  return 'accepts';
};
