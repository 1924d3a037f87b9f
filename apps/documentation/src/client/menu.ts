import { byId } from './element.js';

const button = byId('menu');
const navigation = byId('navigation');

button.addEventListener('click', () => {
  const open = navigation.classList.toggle('open');
  button.setAttribute('aria-expanded', String(open));
});
navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
