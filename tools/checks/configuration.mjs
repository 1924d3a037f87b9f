/** `node tools/checks/configuration.mjs`: writes docs/configuration.md from the services as they are built. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig } from '@postern/service-host/config';
import { configurationPage, DEFINITIONS } from './dist/configuration-page.js';

const ROOT = join(import.meta.dirname, '../..');

const services = {};
for (const [service, name] of Object.entries(DEFINITIONS)) {
  const module = await import(join(ROOT, 'apps', service, 'dist/config.js'));
  services[service] = describeConfig(module[name]);
}
writeFileSync(join(ROOT, 'docs/configuration.md'), configurationPage(services, ROOT));
