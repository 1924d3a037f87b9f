import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../router.js';

interface TabsProps {
  /** Name of the resource that the pages belong to. */
  readonly of: string;
  /** Paths below `page`; the first one is `page` itself. */
  readonly tabs: readonly (readonly [path: string, name: string])[];
  readonly page: string;
  /** The current path. */
  readonly shown: string;
}

export const Tabs = ({ of, tabs, page, shown }: TabsProps) => {
  const tabBar = useRef<HTMLElement>(null);
  // On narrow screens the tab bar scrolls, and the current tab may be outside the visible part.
  useEffect(() => {
    if (shown) tabBar.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [shown]);
  return (
    <nav ref={tabBar} class="tabs" aria-label={`Pages of ${of}`}>
      {tabs.map(([tab, name]) => (
        <Link key={tab} to={page + tab} current={isOpen(shown, page, tab)}>
          {name}
        </Link>
      ))}
    </nav>
  );
};

const isOpen = (shown: string, page: string, tab: string): boolean =>
  shown === page + tab || (tab !== '' && shown.startsWith(`${page}${tab}/`));
