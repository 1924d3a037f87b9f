/** Releases of a mill, which publishes events and handles requests, and of a bakery, which needs both. */
import { z } from 'zod';
import { findingsBetween } from '../findings.js';
import { jsonSchemaOf } from '../json-schema.js';
import type { Exchange, ReleaseContract } from '../release-contract.js';

export const text = z.string();
export const BEFORE = z.object({ id: text, note: text.optional(), kind: z.enum(['a', 'b']) });

export const release = (
  service: string,
  version: string,
  contract: Partial<ReleaseContract> = {},
): ReleaseContract => ({
  ...{ service, version, envelope: {}, publishes: {}, consumes: {}, consumers: {}, answers: {}, asks: {} },
  ...{ http: {}, webhooks: {} },
  ...contract,
});

const event = (data: z.ZodType) => ({ 'mill.flour-ground.v1': jsonSchemaOf(data, 'output') });
type Rest = Partial<Pick<Exchange, 'refusals' | 'deadlineMs' | 'callers'>>;

export const exchange = (request: z.ZodType, reply: z.ZodType, rest: Rest = {}) => ({
  'mill.grind': {
    request: jsonSchemaOf(request, 'input'),
    reply: jsonSchemaOf(reply, 'output'),
    ...{ refusals: {}, deadlineMs: 5_000 },
    ...rest,
  } satisfies Exchange,
});

export const publishes = (version: string, data: z.ZodType) => release('mill', version, { publishes: event(data) });
export const consumes = (version: string, data: z.ZodType) => release('bakery', version, { consumes: event(data) });
export const handles = (version: string, ...of: Parameters<typeof exchange>) =>
  release('mill', version, { answers: exchange(...of) });
export const sends = (version: string, ...of: Parameters<typeof exchange>) =>
  release('bakery', version, { asks: exchange(...of) });

export const findingTexts = (next: ReleaseContract, released: ReleaseContract) =>
  findingsBetween(next, released).map(({ verdict, text }) => `${verdict}: ${text}`);

export const nothing = z.object({});
export const grown = BEFORE.extend({ more: text.optional() });
