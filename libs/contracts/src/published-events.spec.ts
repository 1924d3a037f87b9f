import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { DELIVERY_TRACKING_EVENTS, EMAIL_SEND_EVENTS, PLATFORM_MANAGEMENT_EVENTS } from './index.js';

const SNAPSHOTS = join(import.meta.dirname, '../snapshots');
const published = [...EMAIL_SEND_EVENTS, ...DELIVERY_TRACKING_EVENTS, ...PLATFORM_MANAGEMENT_EVENTS];
const fileOf = (type: string) => join(SNAPSHOTS, `${type}.json`);
const schemaOf = (data: z.ZodType) => `${JSON.stringify(z.toJSONSchema(data), null, 2)}\n`;

/**
 * For a new event, or a change that is compatible with every released consumer: run once with this set, and review the
 * diff.
 */
if (process.env['POSTERN_WRITE_SNAPSHOTS']) {
  mkdirSync(SNAPSHOTS, { recursive: true });
  for (const { type, data } of published) writeFileSync(fileOf(type), schemaOf(data));
}

describe('a published event', () => {
  it.each(published)('$type has the published shape', ({ type, data }) =>
    expect(schemaOf(data)).toBe(readFileSync(fileOf(type), 'utf8')),
  );

  it.each(published)('$type contains its service and its version', ({ type, service, subject }) => {
    expect(type).toMatch(new RegExp(`^${service}\\.[a-z-]+\\.v\\d+$`));
    expect(subject).toBe(`postern.wake-ups.${type}`);
  });

  it('is never withdrawn', () =>
    expect(
      readdirSync(SNAPSHOTS)
        .filter(file => file.endsWith('.json'))
        .sort(),
    ).toEqual(published.map(({ type }) => `${type}.json`).sort()));
});
