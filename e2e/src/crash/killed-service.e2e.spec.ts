import { describeKill, killService, loadedWorld } from './kills.js';

const loaded = await loadedWorld();

describeKill(loaded, 'email-send', () => killService(loaded.world, 'email-send'));
