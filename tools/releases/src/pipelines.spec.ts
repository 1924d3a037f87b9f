import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');
const PIPELINES = ['.github/workflows/release.yaml', '.gitlab-ci.yml'];
const STEPS = ['release', 'image', 'publish', 'verify'];

/** The text of the commands of a pipeline, with the lines of one command joined. */
const commandsOf = (file: string): string => {
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
  };
  return texts(parse(readFileSync(join(ROOT, file), 'utf8'), { merge: true }))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '');
};

it.each(PIPELINES)('The steps of a release run the commands of the checkout, in this order: %s', file => {
  const programs = [...commandsOf(file).matchAll(/node (tools\/releases\/(\w+)\.mjs)/g)];
  expect(programs.filter(([, path = '']) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect([...new Set(programs.map(([, , step]) => step))]).toEqual(STEPS);
});

it.each(PIPELINES)('They give each command only options that it has: %s', file => {
  for (const [, path = '', given = ''] of commandsOf(file).matchAll(/node (tools\/releases\/\w+\.mjs)([^\n]*)/g)) {
    const source = readFileSync(join(ROOT, path), 'utf8');
    const unknown = [...given.matchAll(/ --([a-z-]+)/g)].filter(([, option = '']) => !source.includes(`${option}: {`));
    expect(unknown.map(([, option]) => `${path} --${option}`)).toEqual([]);
  }
});
