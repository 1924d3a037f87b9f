import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { UsageError } from '../errors.js';
import { blueprintSchema, readBlueprint } from './blueprint.js';

const SCHEMA = join(import.meta.dirname, '../../../../docs/postern.schema.json');

const refusalOf = (text: string): string => {
  try {
    readBlueprint('postern.yaml', text);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the file was accepted');
};

describe('A blueprint', () => {
  it('has defaults for everything but the project and the sources', () => {
    const file = readBlueprint(
      'postern.yaml',
      'project: Shop\nservices:\n  web:\n    repository: https://example.com/a.git\n',
    );
    expect(file).toMatchObject({ project: 'Shop', cron: {}, services: { web: { max_instances: 1, env: {} } } });
  });

  it.each<[string, string, string]>([
    ['', 'is empty', 'project: '],
    ['project: [', 'is not YAML', 'postern.yaml is not valid YAML'],
    ['project: A\nproject: B', 'has a key twice', 'postern.yaml is not valid YAML'],
    ['project: A\nservises: {}', 'has an unknown section', 'unknown field servises'],
    [
      'project: A\nservices: {web: {repository: x, prot: 1}}',
      'has an unknown field',
      'services.web: unknown field prot. Remove it',
    ],
    ['project: A\nservices: {web: {}}', 'has no source', 'services.web: a web service has either a repository or'],
    [
      'project: A\nservices: {web: {repository: x, image: nginx}}',
      'has two sources',
      'services.web: a web service has either a repository or an image',
    ],
    ['project: A\nservices: {web: {repository: x, port: 0}}', 'has an invalid port', 'services.web.port: '],
    ['project: A\nservices: {web: {repository: x, env: {"1A": b}}}', 'has an invalid variable', 'services.web.env.1A'],
    [
      'project: A\nservices: {web: {repository: x, env: {A: {secret: no}}}}',
      'has a secret with a value',
      'services.web.env.A: ',
    ],
    [
      'project: A\ncron: {n: {service: web, schedule: "* * * * *", command: x}}',
      'names no web service',
      'cron.n.service: there is no web service web in services',
    ],
    [
      'project: A\ndisks: {web: {size_mib: 1}}',
      'has a disk of nothing',
      'disks.web.service: there is no web service web',
    ],
    ['just text', 'is a text', 'postern.yaml is not valid'],
    ['project: &a {b: *a}', 'refers to itself', 'postern.yaml is not valid'],
  ])('%j that %s is refused with the path, the reason and the way out', (text, _, words) => {
    expect(refusalOf(text)).toContain(words);
  });

  it('is described by the JSON schema that the documentation serves', () => {
    const text = `${JSON.stringify(blueprintSchema(), null, 2)}\n`;
    if (process.env['POSTERN_WRITE_SNAPSHOTS']) writeFileSync(SCHEMA, text);
    expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).toEqual(JSON.parse(text));
  });
});
