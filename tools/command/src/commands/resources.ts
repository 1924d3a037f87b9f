import { readFileSync } from 'node:fs';
import type { Platform } from '@postern/sdk';
import type { Command } from 'commander';
import { command, group, invocation } from '../command-line.js';
import { UsageError, withNames } from '../errors.js';
import { EFFECT, onService, SERVICE, type ServiceOptions } from './on-service.js';

/** `postern projects …`: groups of web services. */
export const projects = (): Command =>
  group('projects', 'Projects, which group web services and their secrets', [
    command('list', 'List the projects', ['postern projects list']).action(async (options: ServiceOptions) => {
      const { context, output } = invocation(options);
      const all = await context.platform().projects.list();
      output.rows(
        all,
        ['ID', 'NAME'],
        all.map(({ id, name }) => [id, name]),
        'No projects.',
      );
    }),
    command('create', 'Create a project', ['postern projects create Shop'])
      .argument('<name>', 'name of the project')
      .action(async (name: string, options: ServiceOptions) => {
        const { context, output } = invocation(options);
        const created = await context.platform().projects.create({ name });
        output.result(created, `${created.id}  ${created.name}`);
      }),
  ]);

/** `postern domains …`: host names of a web service. */
export const domains = (): Command =>
  group('domains', 'Custom domains of a web service', [
    command('list', 'List the domains', ['postern domains list --service storefront'])
      .option(...SERVICE)
      .action(async (options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const all = await platform.domains.list(id);
        const rows = all.map(({ domain, status, target }) => [domain, status, target]);
        output.rows(all, ['DOMAIN', 'STATUS', 'CNAME TARGET'], rows, 'No domains.');
      }),
    command('add', 'Add a domain', ['postern domains add shop.example.com --service storefront'])
      .argument('<domain>', 'host name')
      .option(...SERVICE)
      .action(async (domain: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const added = await platform.domains.add(id, domain);
        output.result(
          added,
          `Add a CNAME record for ${added.domain} with the target ${added.target}, or a TXT record ${added.txt.name} with the value ${added.txt.value}.\nThen: postern domains verify ${added.domain}`,
        );
      }),
    command('verify', 'Look up the DNS records of a domain', [
      'postern domains verify shop.example.com --service storefront',
    ])
      .argument('<domain>', 'host name')
      .option(...SERVICE)
      .action(async (domain: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const checked = await platform.domains.verify(id, (await domainNamed(platform, id, domain)).id);
        output.result(checked, `${checked.status}${checked.message === null ? '' : `: ${checked.message}`}`);
      }),
    command('remove', 'Remove a domain', ['postern domains remove shop.example.com --service storefront'])
      .argument('<domain>', 'host name')
      .option(...SERVICE)
      .action(async (domain: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const found = await domainNamed(platform, id, domain);
        output.result(await platform.domains.delete(id, found.id), `${found.domain} is removed.`);
      }),
  ]);

/** `postern files …`: secret files of a web service. */
export const files = (): Command =>
  group('files', 'Secret files of a web service, in /etc/secrets', [
    command('list', 'List the files without their contents', ['postern files list --service storefront'])
      .option(...SERVICE)
      .action(async (options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const all = await platform.secretFiles.list(id);
        output.rows(
          all,
          ['PATH', 'BYTES'],
          all.map(each => [each.path, each.size_bytes]),
          'No secret files.',
        );
      }),
    command('set', 'Create or replace a file', ['postern files set google.json ./account.json --service storefront'])
      .argument('<path>', 'path below /etc/secrets')
      .argument('<file>', 'the local file')
      .option(...SERVICE)
      .addHelpText('after', `\n${EFFECT}`)
      .action(async (path: string, file: string, options: ServiceOptions) => {
        const content = contentOf(file);
        const { output, platform, id } = await onService(options);
        const set = [{ path, content, encoding: 'base64' as const }];
        const result = await platform.secretFiles.setAll(id, set).catch(error => {
          throw withNames(error, 'files', set, 'path');
        });
        output.result(result, `/etc/secrets/${path} is set. ${EFFECT}`);
      }),
    command('delete', 'Delete a file', ['postern files delete google.json --service storefront'])
      .argument('<path>', 'path below /etc/secrets')
      .option(...SERVICE)
      .addHelpText('after', `\n${EFFECT}`)
      .action(async (path: string, options: ServiceOptions) => {
        const { output, platform, id } = await onService(options);
        const found = (await platform.secretFiles.list(id)).find(each => each.path === path);
        if (!found) throw new UsageError(`There is no secret file ${path}.`);
        output.result(await platform.secretFiles.delete(id, found.id), `${path} is deleted. ${EFFECT}`);
      }),
  ]);

const domainNamed = async (platform: Platform, webServiceId: string, wanted: string) => {
  const found = (await platform.domains.list(webServiceId)).find(
    ({ id, domain }) => id === wanted || domain === wanted,
  );
  if (!found) throw new UsageError(`The web service has no domain ${wanted}.`);
  return found;
};

const contentOf = (file: string): string => {
  try {
    return readFileSync(file).toString('base64');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
};
