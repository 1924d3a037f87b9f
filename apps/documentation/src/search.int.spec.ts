import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import MiniSearch, { type SearchResult } from 'minisearch';
import { FILES } from './navigation.js';
import { SEARCH_OPTIONS } from './search.js';

const CHUNKS = join(import.meta.dirname, '../dist/site/assets/chunks');

/** The index that the site loads when a reader opens the search. */
const loadIndex = async () => {
  const file = readdirSync(CHUNKS).find(name => /^@localSearchIndexroot\..*\.js$/.test(name)) ?? 'no index';
  const { default: json } = (await import(join(CHUNKS, file))) as { readonly default: string };
  return MiniSearch.loadJSON(json, { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] });
};

const pageOf = ({ id }: SearchResult): string => String(id).replace(/^\/docs\/|#.*$/g, '') || 'index';

const index = await loadIndex();

/** The pages that the search shows first, each once. */
const firstPages = (words: string): readonly string[] =>
  [...new Set(index.search(words, SEARCH_OPTIONS).map(pageOf))].slice(0, 3);

/** What somebody asks in the first hour, and the page that answers it. */
const QUESTIONS = {
  'what is postern': 'index',
  newsletter: 'not-supported',
  requirements: 'local-start',
  'operating system': 'local-start',
  'memory disk': 'local-start',
  'how long does npm start take': 'local-start',
  'sign in': 'command',
  'send first email': 'email/quick-start',
  'npm install sdk': 'email/sdk',
  'next.js': 'email/frameworks',
  rails: 'email/frameworks',
  laravel: 'email/frameworks',
  attachment: 'email/sending',
  template: 'email/templates',
  batch: 'email/sending',
  schedule: 'email/sending',
  inbound: 'not-supported',
  unsubscribe: 'email/sending',
  tags: 'email/sending',
  'sandbox sender': 'email/sandbox',
  'existing spf record': 'email/domains',
  'test webhooks locally': 'command',
  'verify express': 'email/verify-webhooks',
  php: 'email/libraries',
  'rate limit': 'email/limits',
  idempotency: 'email/retries',
  'how long are bodies kept': 'account',
  'rejected requests': 'email/requests',
  relay: 'operations',
  'install vps': 'install',
  'docker compose': 'compose',
  helm: 'kubernetes',
  'private repository github': 'platform/private-repositories',
  'container image': 'platform/images',
  'preview environment': 'platform/previews',
  'log drain': 'platform/log-drains',
  slack: 'account',
  'tracking domain': 'email/domains',
  'point in time': 'install',
  'https custom domain': 'platform/domains',
  'session token': 'account',
  'database from my laptop': 'platform/databases',
  'github actions': 'platform/ci',
  'invite a member': 'account',
  '2fa': 'account',
  'audit log': 'account',
  upgrade: 'install',
  changelog: 'releases',
};

describe('the search of the documentation', () => {
  it.each(Object.entries(QUESTIONS))('answers "%s" on one of the first three pages: %s', (words, page) => {
    expect(FILES).toContain(`${page}.md`);
    expect(firstPages(words)).toContain(page);
  });

  it('ranks pages for users above pages for operators', () =>
    expect(firstPages('audit log').slice(0, 2)).toEqual(['account', 'operations']));
});
