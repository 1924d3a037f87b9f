import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../router.js';

interface TabsProps {
  /** Whose pages these are. */
  readonly of: string;
  /** Paths below `page`, the first one being `page` itself. */
  readonly tabs: readonly (readonly [path: string, name: string])[];
  readonly page: string;
  /** The path that is shown now. */
  readonly shown: string;
}

export const Tabs = ({ of, tabs, page, shown }: TabsProps) => {
  const strip = useRef<HTMLElement>(null);
  // On narrow screens the strip scrolls, and the open tab may lie outside of what is seen.
  useEffect(() => {
    if (shown) strip.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [shown]);
  return (
    <nav ref={strip} class="tabs" aria-label={`Pages of ${of}`}>
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
