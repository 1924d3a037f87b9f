import { byId } from './element.js';

const KEY = 'postern-theme';
const button = byId('theme');
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

const chosen = (): string => localStorage.getItem(KEY) ?? (systemIsDark.matches ? 'dark' : 'light');

const apply = (): void => {
  const theme = chosen();
  document.documentElement.dataset['theme'] = theme;
  button.textContent = theme === 'dark' ? 'Light' : 'Dark';
};

button.addEventListener('click', () => {
  localStorage.setItem(KEY, chosen() === 'dark' ? 'light' : 'dark');
  apply();
});
systemIsDark.addEventListener('change', apply);
apply();
