export { configFromEnvironment } from './config.js';
export { type MailSimulator, type MailSimulatorOptions, startMailSimulator } from './simulator.js';
