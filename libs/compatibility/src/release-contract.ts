import { z } from 'zod';
import type { JsonSchema } from './json-schema.js';

/** A schema, whose shape `incompatibilities` interprets. */
const schema = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonSchema>;

const exchange = z.object({
  request: schema,
  reply: schema,
  refusals: z.record(z.string(), z.int()).describe('The HTTP status of each code.'),
  callers: z.array(z.string()).optional().describe('Only of the handler: the NATS users that may send it.'),
  deadlineMs: z.number(),
});

/** Request, reply, refusals and deadline of one request in one release. */
export type Exchange = z.output<typeof exchange>;

const httpOperation = z.object({
  operation: z.string(),
  access: z.array(z.string()),
  request: schema.describe('Parameters and body as one object.'),
  replies: z.record(z.string(), schema).describe('By status of the success.'),
  errors: z.array(z.string()).describe('`<status> <code>` of each error.'),
});

/** One operation of an HTTP API in one release. */
export type HttpOperation = z.output<typeof httpOperation>;

const releaseContract = z.object({
  service: z.string(),
  version: z.string(),
  sources: z.string().optional().describe('Digest of the sources that the release was checked and built from.'),
  envelope: schema.describe('Of every event.'),
  publishes: z.record(z.string(), schema),
  consumes: z.record(z.string(), schema),
  consumers: z.record(z.string(), z.array(z.string())).describe('The types of events that each consumer reads.'),
  answers: z.record(z.string(), exchange),
  asks: z.record(z.string(), exchange),
  http: z.record(z.string(), httpOperation).describe('`GET /path` of each operation; only of the gateway.'),
  webhooks: z.record(z.string(), schema).describe('The calls that the installation makes; only of the gateway.'),
  migrations: z.record(z.string(), z.string()).optional().describe('The digest of each migration.'),
  conditions: z.array(z.string()).optional().describe('What the release needs from newer releases of others.'),
});

/** What one release of a service exchanges with others; stored while the release may run anywhere. */
export type ReleaseContract = z.output<typeof releaseContract>;

/** @throws with the field that is wrong. */
export const readReleaseContract = (value: unknown, source: string): ReleaseContract => {
  const read = releaseContract.safeParse(value);
  if (read.success) return read.data;
  throw new Error(`${source} is not the contract of a release: ${z.prettifyError(read.error)}`);
};

/** `email-send@0.2.0`: the name of a release, its tag and its snapshot. */
export const nameOf = ({ service, version }: Pick<ReleaseContract, 'service' | 'version'>): string =>
  `${service}@${version}`;

/** The newest release of each service, by its version. */
export const newestOf = (releases: readonly ReleaseContract[]): readonly ReleaseContract[] => {
  const byVersion = [...releases].sort((a, b) => compareVersions(a.version, b.version));
  return [...new Map(byVersion.map(release => [release.service, release])).values()];
};

/** Negative if `a` is older. A pre-release is older than its release. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [a, b].map(version => version.split('-', 1)[0] ?? '') as [string, string];
  const byNumber = left.localeCompare(right, 'en', { numeric: true });
  if (byNumber !== 0) return byNumber;
  if (a.includes('-') !== b.includes('-')) return a.includes('-') ? -1 : 1;
  return a.localeCompare(b, 'en', { numeric: true });
};
