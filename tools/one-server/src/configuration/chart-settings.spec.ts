import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { configurationSchema } from './schema.js';

const ROOT = join(import.meta.dirname, '../../../..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const [, page = ''] = textOf('docs/kubernetes.md').split('### The settings of one server\n');
const ROWS = page
  .split('\n### ')[0]!
  .split('\n')
  .flatMap(line => {
    const [, setting, chart] = /^\| `([\w.]+)` +\| (.*) \|$/.exec(line) ?? [];
    return setting && chart ? [{ setting, chart }] : [];
  });

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

describe('docs/kubernetes.md', () => {
  it('has every setting of config.yaml, or its block, in the words of the chart', () => {
    const { properties = {} } = z.toJSONSchema(configurationSchema, { io: 'input', unrepresentable: 'any' }) as Schema;
    const named = ROWS.map(({ setting }) => setting);
    const missing = Object.entries(properties).flatMap(([name, { properties: fields = {} }]) => {
      if (named.includes(name)) return [];
      const paths = Object.keys(fields).map(field => `${name}.${field}`);
      return paths.length === 0 ? [name] : paths.filter(path => !named.includes(path));
    });
    expect(missing).toEqual([]);
  });

  it('names settings that exist', () => {
    const values = textOf('k8s/charts/postern/values.yaml');
    const configuration = textOf('docs/configuration.md');
    const chart = ROWS.map(row => row.chart).join();
    const globals = [...chart.matchAll(/`global\.(\w+)`/g)].map(([, name]) => `\n  ${name}:`);
    const variables = [...chart.matchAll(/`(POSTERN_\w+)`/g)].map(([, name]) => `| \`${name}\` `);
    expect(globals.length + variables.length).toBeGreaterThan(8);
    expect(globals.filter(name => !values.includes(name))).toEqual([]);
    expect(variables.filter(name => !configuration.includes(name))).toEqual([]);
  });
});
