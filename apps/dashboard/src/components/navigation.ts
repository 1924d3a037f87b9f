/** A page that the sidebar links to. */
export interface NavigationEntry {
  readonly to: string;
  readonly name: string;
  /** Path prefixes of the pages that belong to this entry. */
  readonly covers: readonly string[];
  /** Whether only owners of the workspace see it. */
  readonly owner?: boolean;
}

interface NavigationGroup {
  readonly title: string;
  /** Whether only operators see the group. */
  readonly operator?: boolean;
  readonly entries: readonly NavigationEntry[];
}

const entry = (to: string, name: string, ...covers: string[]): NavigationEntry => ({
  to,
  name,
  covers: to === '/' ? covers : [`${to}/`, ...covers],
});

/** The groups of the sidebar; a new page is one line. */
export const NAVIGATION: readonly NavigationGroup[] = [
  { title: 'Overview', entries: [entry('/', 'Home')] },
  {
    title: 'Email',
    entries: [
      entry('/email-services', 'Email services', '/services/'),
      { ...entry('/management-keys', 'Management keys'), owner: true },
    ],
  },
  {
    title: 'Platform',
    entries: [
      entry('/projects', 'Projects', '/web-services/'),
      entry('/databases', 'Databases'),
      { ...entry('/platform-keys', 'Platform keys'), owner: true },
    ],
  },
  {
    title: 'Workspace',
    entries: [
      entry('/workspace', 'Workspace'),
      entry('/members', 'Members'),
      entry('/invitations', 'Invitations'),
      entry('/audit-log', 'Audit log'),
    ],
  },
  {
    title: 'Administration',
    operator: true,
    entries: [
      entry('/system', 'System'),
      entry('/users', 'Users'),
      entry('/moderation', 'Moderation'),
      entry('/provider-endpoints', 'Mail providers'),
    ],
  },
];
