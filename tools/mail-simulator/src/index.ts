export { configFromEnvironment } from './config.js';
export { deliveryStatus, feedbackReport } from './reports.js';
export { type MailSimulator, type MailSimulatorOptions, startMailSimulator } from './simulator.js';
