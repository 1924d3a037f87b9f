export { answeredInTime } from './operations/answered-in-time.js';
export type { Finding } from './operations/ports.js';
