import { render } from 'preact';
import { Application } from './application.js';

const root = document.getElementById('application');
if (!root) throw new Error('Missing #application element');
render(<Application />, root);
