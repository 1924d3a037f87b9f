import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Where the application lives on its origin; the gateway answers every path below it with the first page. */
export const BASE = '/dashboard';

const moved = new EventTarget();

/** Paths inside the application begin with `/` and know nothing of `BASE`. */
const presentPath = (): string => location.pathname.replace(BASE, '').replace(/\/+$/, '') || '/';

export const goTo = (path: string, { replace = false } = {}): void => {
  history[replace ? 'replaceState' : 'pushState'](null, '', BASE + path);
  window.scrollTo(0, 0);
  moved.dispatchEvent(new Event('moved'));
};

/** The path that is shown now; follows links, `goTo` and the browser's back and forward. */
export const usePath = (): string => {
  const [path, setPath] = useState(presentPath);
  useEffect(() => {
    const follow = () => setPath(presentPath());
    moved.addEventListener('moved', follow);
    window.addEventListener('popstate', follow);
    return () => {
      moved.removeEventListener('moved', follow);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  return path;
};

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  /** Marks the link of the page that is shown. */
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A real link, so that it opens in a new tab where the reader asks for one. */
export const Link = ({ to, current = false, children, ...rest }: LinkProps) => {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a {...rest} href={BASE + to} onClick={follow} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
};
