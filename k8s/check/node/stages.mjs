/** The stages of the check on a real node, in their order: later ones use what earlier ones have installed. */
import * as faults from './stages/faults.mjs';
import * as install from './stages/install.mjs';
import * as mail from './stages/mail.mjs';
import * as network from './stages/network.mjs';
import * as security from './stages/security.mjs';
import * as upgrade from './stages/upgrade.mjs';

export const STAGES = [install, mail, security, network, upgrade, faults];
