import { at } from './web-service-history.js';

/** Commands of the reconciler about a release. */
export const begin = (releaseId: string) => ({ kind: 'begin-release', releaseId, at }) as const;
export const finish = (releaseId: string) => ({ kind: 'finish-release', releaseId, at }) as const;
export const fail = (releaseId: string, reason = 'no answer') =>
  ({ kind: 'fail-release', releaseId, reason, at }) as const;
