import { useEffect, useState } from 'preact/hooks';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'theme';
const CHANGED = 'postern-theme';

/** The choice of this browser. */
export const chosenTheme = (): Theme => {
  try {
    return THEMES.find(theme => theme === localStorage.getItem(STORED)) ?? 'system';
  } catch {
    return 'system';
  }
};

/** Colours have a light and a dark value, between which `color-scheme` decides. */
export const applyTheme = (theme: Theme): void => {
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
};

export const chooseTheme = (theme: Theme): void => {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // A browser without storage keeps the choice until the page is closed.
  }
  applyTheme(theme);
  window.dispatchEvent(new CustomEvent(CHANGED, { detail: theme }));
};

const dark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

/** The choice, and what is shown because of it. */
export const useTheme = (): { readonly chosen: Theme; readonly shown: 'light' | 'dark' } => {
  const [chosen, setChosen] = useState(chosenTheme);
  const [isDark, setDark] = useState(() => dark().matches);
  useEffect(() => {
    const query = dark();
    const onChoice = (event: Event) => setChosen((event as CustomEvent<Theme>).detail);
    const onSystem = () => setDark(query.matches);
    window.addEventListener(CHANGED, onChoice);
    query.addEventListener('change', onSystem);
    return () => {
      window.removeEventListener(CHANGED, onChoice);
      query.removeEventListener('change', onSystem);
    };
  }, []);
  return { chosen, shown: chosen === 'system' ? (isDark ? 'dark' : 'light') : chosen };
};
