import { render } from 'preact';
import { Application } from './application.js';

const place = document.getElementById('application');
if (!place) throw new Error('The page has no place for the application.');
render(<Application />, place);
