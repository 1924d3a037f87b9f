import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { withChartSettings } from './chart-settings.js';
import { configurationPage, HOSTED, PROGRAMS, type ServiceSettings, type Setting } from './configuration-page.js';

const ROOT = join(import.meta.dirname, '../../..');

/** Imported by path, because a tool is built without the apps that it checks. */
const load = (path: string): Promise<Record<string, unknown>> => import(join(ROOT, path));

const settings = async (names = HOSTED): Promise<ServiceSettings> => {
  const host = await load('libs/service-host/src/config/define-config.ts');
  const describe = host['describeConfig'] as (definition: unknown) => Setting[];
  const entries = names.map(async name => {
    const app = await load(`apps/${name}/src/config.ts`);
    return [name, describe(app['config'])] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
};

it('docs/configuration.md has the settings of the services; `node tools/checks/configuration.mjs` writes it anew', async () => {
  expect(readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')).toBe(
    configurationPage(await settings(), await settings(PROGRAMS), ROOT),
  );
});

it('the chart has every setting of each service with its type; the same command writes them anew', async () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'k8s/charts/service/values.schema.json'), 'utf8')) as object;
  expect(schema).toEqual(withChartSettings({ ...schema }, await settings()));
});
