import type { Database, EmailService, Page as ListPage, Project, WebService } from '@postern/contracts';
import { api } from '../api-client.js';
import { NAVIGATION } from './navigation.js';

/** Something that the search finds, and its page. */
export interface Found {
  readonly kind: string;
  readonly name: string;
  readonly to: string;
}

/** Reads everything with a name in the workspace. A list that cannot be read is left out. */
export const everything = async (signal: AbortSignal): Promise<readonly Found[]> => {
  const list = async <Item>(path: string, found: (item: Item) => readonly Found[]): Promise<readonly Found[]> => {
    const reply = await api.get<Item[] | ListPage<Item>>(path, {}, signal).catch((): Item[] => []);
    return ('items' in reply ? reply.items : reply).flatMap(found);
  };
  const parts = await Promise.all([
    list<EmailService>('/email-services', ({ id, name }) => [
      { kind: 'Email service', name, to: `/services/${id}` },
      { kind: 'Messages', name, to: `/services/${id}/messages` },
      { kind: 'Requests', name, to: `/services/${id}/requests` },
      { kind: 'Webhooks', name, to: `/services/${id}/webhooks` },
      { kind: 'Domains', name, to: `/services/${id}/domains` },
    ]),
    list<WebService>('/web-services', ({ id, name }) => [
      { kind: 'Web service', name, to: `/web-services/${id}` },
      { kind: 'Logs', name, to: `/web-services/${id}/logs` },
      { kind: 'Deployments', name, to: `/web-services/${id}/deployments` },
      { kind: 'Environment', name, to: `/web-services/${id}/environment` },
    ]),
    list<Project>('/projects', ({ id, name }) => [{ kind: 'Project', name, to: `/projects/${id}` }]),
    list<Database>('/databases', ({ id, name }) => [{ kind: 'Database', name, to: `/databases/${id}` }]),
  ]);
  return [...pages(), ...parts.flat()];
};

const pages = (): readonly Found[] => [
  ...NAVIGATION.filter(({ operator }) => !operator).flatMap(({ entries }) =>
    entries.map(({ name, to }) => ({ kind: 'Page', name, to })),
  ),
  { kind: 'Page', name: 'Account', to: '/account' },
];

const MOST_SHOWN = 12;

/** What matches every word of the text in its kind or name; names that begin with the text come first. */
export const matching = (all: readonly Found[], text: string): readonly Found[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = words.join(' ');
  const rank = ({ name }: Found) => (name.toLowerCase().startsWith(wanted) ? 0 : 1);
  return all
    .filter(({ kind, name }) => words.every(word => `${kind} ${name}`.toLowerCase().includes(word)))
    .map((found, index) => ({ found, index }))
    .sort((a, b) => rank(a.found) - rank(b.found) || a.index - b.index)
    .slice(0, MOST_SHOWN)
    .map(({ found }) => found);
};
