import type { ComponentChildren } from 'preact';
import { Link } from '../router.js';
import { useSignedIn } from '../session.js';
import { ActionButton } from './action-button.js';
import { WorkspaceSwitcher } from './workspace-switcher.js';

interface AppLayoutProps {
  readonly path: string;
  readonly children: ComponentChildren;
}

type Entries = readonly (readonly [to: string, name: string])[];

const PLATFORM: Entries = [
  ['/projects', 'Projects'],
  ['/databases', 'Databases'],
  ['/platform-keys', 'Platform keys'],
  ['/workspace', 'Workspace'],
];
const OPERATOR: Entries = [
  ['/moderation', 'Moderation'],
  ['/users', 'Users'],
];

/** Header, navigation and footer around every page of a signed-in user. */
export const AppLayout = ({ path, children }: AppLayoutProps) => {
  const { me, signOut } = useSignedIn();
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <Link to="/" class="brand">
          <Logo /> Postern
        </Link>
        <WorkspaceSwitcher />
        <nav aria-label="Main">
          <Link to="/" current={path === '/'}>
            Email services
          </Link>
          {PLATFORM.map(([to, name]) => (
            <Link key={to} to={to} current={path === to || path.startsWith(`${to}/`)}>
              {name}
            </Link>
          ))}
          {me.operator &&
            OPERATOR.map(([to, name]) => (
              <Link key={to} to={to} current={path === to}>
                {name}
              </Link>
            ))}
          <Link to="/account" current={path === '/account'}>
            Account
          </Link>
          <ActionButton class="quiet" work={signOut}>
            Log out
          </ActionButton>
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer class="bottom">
        <a href="/docs">API reference</a>
      </footer>
    </>
  );
};

export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" class="tile" />
    <path d="M9 26V14a7 7 0 0 1 14 0v12z" class="arch" />
    <circle cx="19.5" cy="19" r="1.6" class="tile" />
  </svg>
);
