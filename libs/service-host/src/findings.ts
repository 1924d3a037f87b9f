export { answeredInTime } from './operations/answered-in-time.js';
export { type DiskSpace, diskSpaceOf } from './operations/disk-space.js';
export type { Finding } from './operations/ports.js';
