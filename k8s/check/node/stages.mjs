/** The stages of the check on a real node, in order: later stages use the installations of earlier ones. */
import * as commands from './stages/commands.mjs';
import * as disk from './stages/disk.mjs';
import * as documents from './stages/documents.mjs';
import * as failures from './stages/failures.mjs';
import * as faults from './stages/faults.mjs';
import * as ingress from './stages/ingress.mjs';
import * as install from './stages/install.mjs';
import * as isolation from './stages/isolation.mjs';
import * as mail from './stages/mail.mjs';
import * as network from './stages/network.mjs';
import * as runtime from './stages/runtime.mjs';
import * as second from './stages/second.mjs';
import * as security from './stages/security.mjs';
import * as upgrade from './stages/upgrade.mjs';
import * as whole from './stages/whole.mjs';
import * as wrongValues from './stages/wrong-values.mjs';

export const STAGES = [
  install,
  mail,
  security,
  network,
  upgrade,
  wrongValues,
  second,
  runtime,
  commands,
  isolation,
  disk,
  failures,
  ingress,
  faults,
  whole,
  documents,
];

/** Stages that later stages depend on. */
export const NEEDED_BY_ALL = [install.name, mail.name];
