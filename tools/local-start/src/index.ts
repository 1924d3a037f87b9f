export { ApiClient } from './api-client.js';
export { DashboardClient } from './dashboard-client.js';
export { OPERATOR_EMAIL, type RunningPostern, type StartOptions, startPostern } from './postern.js';
export { ReplicaSet } from './replica-set.js';
export { LIFTED_CALLER_LIMITS, LIFTED_REQUEST_LIMITS } from './request-limits.js';
export { restartOnExit } from './restart-on-exit.js';
export { type ReplicatedService, startReplica } from './start-replica.js';
export { SupervisedProcess } from './supervised-process.js';
