import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { mayLeave } from './unsaved-changes.js';

/** Paths and links of the application; decision 59 compares this with wouter. */

/** Base path of the application; the gateway serves the index page for every path below it. */
export const BASE = '/dashboard';

const navigation = new EventTarget();

/** Paths inside the application start with `/` and do not include `BASE`. */
const currentPath = (): string => location.pathname.replace(BASE, '').replace(/\/+$/, '') || '/';

export const navigate = (path: string, { replace = false } = {}): void => {
  history[replace ? 'replaceState' : 'pushState'](null, '', BASE + path);
  window.scrollTo(0, 0);
  navigation.dispatchEvent(new Event('navigate'));
};

/** The query of the current URL, with its `?`; updates like the path. */
export const useSearch = (): string => {
  const [search, setSearch] = useState(location.search);
  useEffect(() => onNavigation(() => setSearch(location.search)), []);
  return search;
};

/** Calls `update` after links, `navigate` and the browser's back and forward; returns the cleanup function. */
const onNavigation = (update: () => void): (() => void) => {
  navigation.addEventListener('navigate', update);
  window.addEventListener('popstate', update);
  return () => {
    navigation.removeEventListener('navigate', update);
    window.removeEventListener('popstate', update);
  };
};

/** Parameters of the current URL; absent ones are empty. Changes replace the entry of the history. */
export const useQuery = <Name extends string>(
  names: readonly Name[],
): [values: Readonly<Record<Name, string>>, set: (changes: Partial<Record<Name, string>>) => void] => {
  const query = new URLSearchParams(useSearch());
  const values = Object.fromEntries(names.map(name => [name, query.get(name) ?? ''])) as Record<Name, string>;
  const set = (changes: Partial<Record<Name, string>>) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries<string | undefined>(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    history.replaceState(null, '', `${location.pathname}${next.size === 0 ? '' : `?${next}`}`);
    navigation.dispatchEvent(new Event('navigate'));
  };
  return [values, set];
};

/** Replaces the query of the current URL: a new entry of the history, at the same position of the page. */
export const setSearch = (search: string): void => {
  history.pushState(null, '', `${location.pathname}${search}`);
  navigation.dispatchEvent(new Event('navigate'));
};

/** The current path; updates on links, `navigate` and the browser's back and forward. */
export const usePath = (): string => {
  const [path, setPath] = useState(currentPath);
  useEffect(() => onNavigation(() => setPath(currentPath())), []);
  return path;
};

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  /** Marks the link of the current page. */
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** An anchor element, so that it can be opened in a new tab. */
export const Link = ({ to, current = false, children, ...rest }: LinkProps) => {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (mayLeave()) navigate(to);
  };
  return (
    <a {...rest} href={BASE + to} onClick={follow} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
};
