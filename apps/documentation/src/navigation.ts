/** A page of the site. */
export interface Page {
  /** Path below /docs, without an extension; empty for the first page. */
  readonly path: string;
  readonly title: string;
  /** Markdown file below the docs folder of the repository, or an API reference. */
  readonly source: { readonly markdown: string } | { readonly openApi: string };
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

const page = (path: string, title: string, markdown = `${path}.md`): Page => ({ path, title, source: { markdown } });

/** Every page, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [
  { title: 'Start', pages: [page('', 'Introduction', 'index.md'), page('command', 'The postern command')] },
  {
    title: 'Email',
    pages: [
      page('email/quick-start', 'Quick start'),
      page('email/sending', 'Sending'),
      page('email/sdk', 'JavaScript library'),
      page('email/smtp', 'SMTP submission'),
      page('email/sandbox', 'Sandbox and production'),
      page('email/domains', 'Domains and DNS'),
      page('email/webhooks', 'Webhooks'),
      page('email/verify-webhooks', 'Verify webhooks'),
      page('email/events', 'Events'),
      page('email/errors', 'Errors'),
      page('email/limits', 'Limits and quotas'),
      page('email/retries', 'Retries and idempotency'),
      page('email/bounces', 'Bounces and suppressions'),
      page('email/testing', 'Testing'),
      page('email/migrating', 'Migrating to Postern'),
    ],
  },
  {
    title: 'Platform',
    pages: [
      page('platform/quick-start', 'Quick start'),
      page('platform/deploying', 'Deploying'),
      page('platform/private-repositories', 'Private repositories'),
      page('platform/deploy-hooks', 'Deploy on push'),
      page('platform/domains', 'Domains'),
      page('platform/environment', 'Environment and secrets'),
      page('platform/logs-and-metrics', 'Logs and metrics'),
      page('platform/rollbacks', 'Deployments and rollbacks'),
      page('platform/databases', 'Databases'),
      page('platform/errors', 'Errors and limits'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      { path: 'reference', title: 'API reference', source: { openApi: '/openapi.json' } },
      {
        path: 'dashboard-reference',
        title: 'Dashboard API reference',
        source: { openApi: '/dashboard/api/openapi.json' },
      },
    ],
  },
  {
    title: 'Operators',
    pages: [
      page('local-start', 'Local start'),
      page('operations', 'Operations'),
      page('configuration', 'Configuration'),
      page('observability', 'Observability'),
      page('security', 'Security'),
      page('architecture', 'Architecture'),
      page('releases', 'Releases'),
      page('figures', 'Benchmarks'),
      page('bounce-figures', 'Recognition of bounces'),
      page('sample-applications', 'Sample applications'),
    ],
  },
];

/** All pages, in the order of the navigation. */
export const PAGES: readonly Page[] = SECTIONS.flatMap(({ pages }) => pages);
