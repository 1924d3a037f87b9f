import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from '../router.js';
import { useSignedIn } from '../session.js';
import { chooseTheme, type Theme, useTheme } from '../theme.js';
import { ActionButton } from './action-button.js';
import { CommandPalette } from './command-palette.js';
import { Choice } from './form.js';
import { InvitationsNotice } from './invitations-notice.js';
import { NAVIGATION, type NavigationEntry } from './navigation.js';
import { Notice } from './notice.js';
import { WorkspaceSwitcher } from './workspace-switcher.js';

/** Of this build; set by Vite. */
declare const VERSION: string;

interface AppLayoutProps {
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Sidebar and content of every page of a signed-in user; on narrow screens the sidebar is a menu. */
export const AppLayout = ({ path, children }: AppLayoutProps) => {
  const { me, signOut } = useSignedIn();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const isShown = ({ owner }: NavigationEntry) => !owner || (me.active_workspace.role ?? 'owner') === 'owner';
  return (
    <div class="app">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="side">
        <div class="side-head">
          <Link to="/" class="brand">
            <Logo /> Postern
          </Link>
          <button
            type="button"
            class="menu"
            aria-expanded={open}
            aria-controls="navigation"
            onClick={() => setOpen(!open)}
          >
            Menu
          </button>
        </div>
        <div id="navigation" class={open ? 'side-body open' : 'side-body'}>
          <WorkspaceSwitcher />
          <CommandPalette />
          <nav aria-label="Main">
            {NAVIGATION.filter(({ operator }) => !operator || me.operator).map(({ title, entries }) => (
              <Group key={title} title={title} entries={entries.filter(isShown)} path={path} />
            ))}
          </nav>
          <div class="side-foot">
            <Link to="/account" current={path === '/account'}>
              Account
            </Link>
            <a href="/docs">Documentation</a>
            <ThemeChoice />
            <ActionButton class="quiet" work={signOut}>
              Sign out
            </ActionButton>
            <p class="hint">Postern {VERSION}</p>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {me.active_workspace.role === 'viewer' && (
          <Notice kind="warning">You can only view this workspace. Ask an owner for permission to change it.</Notice>
        )}
        <InvitationsNotice path={path} />
        {children}
      </main>
    </div>
  );
};

interface GroupProps {
  readonly title: string;
  readonly entries: readonly NavigationEntry[];
  readonly path: string;
}

const Group = ({ title, entries, path }: GroupProps) => (
  <>
    <h2>{title}</h2>
    <ul>
      {entries.map(({ to, name, covers }) => (
        <li key={to}>
          <Link to={to} current={path === to || covers.some(prefix => path.startsWith(prefix))}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  </>
);

export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" class="tile" />
    <path d="M9 26V14a7 7 0 0 1 14 0v12z" class="arch" />
    <circle cx="19.5" cy="19" r="1.6" class="tile" />
  </svg>
);

const ThemeChoice = () => {
  const { chosen } = useTheme();
  return (
    <Choice
      label="Theme"
      value={chosen}
      options={[
        ['system', 'As the system'],
        ['light', 'Light'],
        ['dark', 'Dark'],
      ]}
      onChoice={theme => chooseTheme(theme as Theme)}
    />
  );
};
