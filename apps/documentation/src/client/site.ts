import './copy-buttons.js';
import './menu.js';
import './search.js';
import './theme.js';
