/**
 * `node tools/checks/configuration.mjs`: generates docs/configuration.md and the settings in the schema of the chart from
 * the built services.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig } from '@postern/service-host/config';
import { withChartSettings } from './dist/chart-settings.js';
import { configurationPage, HOSTED, PROGRAMS } from './dist/configuration-page.js';

const ROOT = join(import.meta.dirname, '../..');

const settingsOf = async names => {
  const settings = {};
  for (const name of names) {
    const { config } = await import(join(ROOT, 'apps', name, 'dist/config.js'));
    settings[name] = describeConfig(config);
  }
  return settings;
};

const services = await settingsOf(HOSTED);
writeFileSync(join(ROOT, 'docs/configuration.md'), configurationPage(services, await settingsOf(PROGRAMS), ROOT));
const chart = join(ROOT, 'k8s/charts/service/values.schema.json');
const schema = withChartSettings(JSON.parse(readFileSync(chart, 'utf8')), services);
writeFileSync(chart, JSON.stringify(schema));
execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', chart], { cwd: ROOT, stdio: 'inherit' });
