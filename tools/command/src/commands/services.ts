import type { Command } from 'commander';
import { command, invocation } from '../command-line.js';
import { emailServices } from '../email-services.js';

/** `postern services`: lists the services whose names other commands accept. */
export const services = (): Command =>
  command('services', 'List email services and web services, as far as the credentials allow', [
    'postern services',
    'postern services --json',
  ]).action(async (options: { json?: boolean }) => {
    const { context, output } = invocation(options);
    const email = context.sessionToken === undefined ? [] : await emailServices(context.dashboard());
    const web = context.platformKey === undefined ? [] : await context.platform().webServices.list();
    output.rows(
      { email_services: email, web_services: web },
      ['ID', 'KIND', 'NAME', 'STATUS', 'URL'],
      [
        ...email.map(({ id, name, mode }) => [id, 'email', name, mode, '']),
        ...web.map(({ id, name, status, url, preview_of }) => [
          id,
          preview_of ? 'preview' : 'web',
          name,
          status,
          url ?? '',
        ]),
      ],
      'No services. Sign in with `postern login --email …` for email services, or with a platform key for web services.',
    );
  });
