import { render } from 'preact';
import { Application } from './application.js';
import { applyTheme, chosenTheme } from './theme.js';

const root = document.getElementById('application');
if (!root) throw new Error('Missing #application element');
applyTheme(chosenTheme());
render(<Application />, root);
