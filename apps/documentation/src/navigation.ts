/** A page of the site: its Markdown file in the docs folder, and its title in the navigation. */
export interface Page {
  readonly file: string;
  readonly title: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

const page = (path: string, title: string): Page => ({ file: `${path}.md`, title });

/** Every page, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      page('index', 'Introduction'),
      page('command', 'The postern command'),
      page('mcp', 'AI assistants (MCP)'),
      page('account', 'Account and members'),
      page('not-supported', 'What is not supported'),
    ],
  },
  {
    title: 'Email',
    pages: [
      page('email/quick-start', 'Quick start'),
      page('email/sending', 'Sending'),
      page('email/sdk', 'JavaScript library'),
      page('email/libraries', 'Python, Go, PHP and Ruby'),
      page('email/frameworks', 'Framework guides'),
      page('email/smtp', 'SMTP submission'),
      page('email/templates', 'Templates'),
      page('email/sandbox', 'Sandbox and production'),
      page('email/domains', 'Domains and DNS'),
      page('email/webhooks', 'Webhooks'),
      page('email/verify-webhooks', 'Verify webhooks'),
      page('email/events', 'Events'),
      page('email/errors', 'Errors'),
      page('email/requests', 'Requests'),
      page('email/limits', 'Limits and quotas'),
      page('email/retries', 'Retries and idempotency'),
      page('email/bounces', 'Bounces and suppressions'),
      page('email/providers', 'Events of mail providers'),
      page('email/testing', 'Testing'),
      page('email/management-keys', 'Management keys'),
      page('email/migrating', 'Migrating to Postern'),
      page('email/migrate-from-resend', 'Migrate from Resend'),
      page('email/migrate-from-postmark', 'Migrate from Postmark'),
      page('email/not-supported', 'What Postern does not do'),
    ],
  },
  {
    title: 'Platform',
    pages: [
      page('platform/quick-start', 'Quick start'),
      page('platform/deploying', 'Deploying'),
      page('platform/private-repositories', 'Private repositories'),
      page('platform/images', 'Images'),
      page('platform/deploy-hooks', 'Deploy on push'),
      page('platform/previews', 'Previews of requests'),
      page('platform/ci', 'Deploy from CI'),
      page('platform/blueprint', 'A project as a file'),
      page('platform/domains', 'Domains'),
      page('platform/environment', 'Environment and secrets'),
      page('platform/logs-and-metrics', 'Logs and metrics'),
      page('platform/log-drains', 'Log drains'),
      page('platform/rollbacks', 'Deployments and rollbacks'),
      page('platform/databases', 'Databases'),
      page('platform/errors', 'Errors and limits'),
    ],
  },
  {
    title: 'Reference',
    pages: [page('reference', 'API reference'), page('dashboard-reference', 'Dashboard API reference')],
  },
  {
    title: 'Operators',
    pages: [
      page('local-start', 'Local start'),
      page('install', 'Install on one server'),
      page('kubernetes', 'Install on Kubernetes'),
      page('compose', 'Install with Docker Compose'),
      page('operations', 'Operations'),
      page('configuration', 'Configuration'),
      page('observability', 'Observability'),
      page('runbooks', 'Runbooks'),
      page('security', 'Security'),
      page('architecture', 'Architecture'),
      page('releases', 'Releases'),
      page('new-service', 'Add a service'),
      page('figures', 'Benchmarks'),
      page('bounce-figures', 'Recognition of bounces'),
      page('sample-applications', 'Sample applications'),
    ],
  },
];

/** All pages, in the order of the navigation. */
export const PAGES: readonly Page[] = SECTIONS.flatMap(({ pages }) => pages);

/** The Markdown files that are pages. */
export const FILES: ReadonlySet<string> = new Set(PAGES.map(({ file }) => file));

/** Pages for operators and maintainers, who have the repository. */
export const MAINTAINED: ReadonlySet<string> = new Set(
  SECTIONS.filter(({ title }) => title === 'Operators').flatMap(({ pages }) => pages.map(({ file }) => file)),
);
