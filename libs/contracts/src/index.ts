export { Refusal } from './refusal.js';
export * from './request.js';
export * from './event.js';
export * from './service-name.js';
