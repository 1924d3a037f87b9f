import { z } from 'zod';
import { eventsOf } from '../event.js';
import { id, timestamp } from '../shapes.js';
import { workspaceRole } from '../workspace-roles.js';

/**
 * Published events contain ids, times and states only. Reasons of failures remain in the store, because they may quote the
 * output of a build or of a web service; the API returns them to the owner.
 */
const event = eventsOf('platform-management');

const ofWebService = z.object({ web_service_id: id, at: timestamp });
const ofDeployment = ofWebService.extend({ deployment_id: id });
const ofUser = z.object({ user_id: id, at: timestamp });
const ofMember = ofUser.extend({ workspace_id: id });
const ofDatabase = z.object({ database_id: id, at: timestamp });

/** A deployment was queued. */
export const deploymentRequested = event('deployment-requested.v1', ofDeployment);

/** A rollback to an earlier deployment was queued. */
export const rollbackRequested = event('rollback-requested.v1', ofDeployment.extend({ rollback_of: id }));

/** A queued deployment started; a rollback starts with its release. */
export const deploymentBegun = event(
  'deployment-begun.v1',
  ofDeployment.extend({ stage: z.enum(['building', 'releasing']) }),
);

/** The build produced an artefact. */
export const deploymentBuilt = event('deployment-built.v1', ofDeployment.extend({ commit: z.string() }));

/** The instances of the deployment answer and serve all traffic. */
export const deploymentLive = event('deployment-live.v1', ofDeployment);

/** The deployment ended without going live; the previous live deployment is unchanged. */
export const deploymentFailed = event('deployment-failed.v1', ofDeployment);

/** The deployment was cancelled before it went live. */
export const deploymentCancelled = event(
  'deployment-cancelled.v1',
  ofDeployment.extend({
    because: z.enum(['user', 'stop', 'block', 'suspend']).describe('user: the owner cancelled the deployment itself.'),
  }),
);

/** The deployment was replaced by a newer one: while queued, or after it was live. */
export const deploymentSuperseded = event('deployment-superseded.v1', ofDeployment.extend({ by: id }));

/** The deployment was live and was replaced by a rollback. */
export const deploymentRolledBack = event('deployment-rolled-back.v1', ofDeployment.extend({ by: id }));

/** All instances of the web service ended after a stop. */
export const webServiceStopped = event('web-service-stopped.v1', ofWebService);

/** The web service crashed or hangs: no instance has responded for some time. The runtime keeps restarting it. */
export const webServiceUnanswering = event('web-service-unanswering.v1', ofWebService);

/** The web service answers again. */
export const webServiceAnswering = event('web-service-answering.v1', ofWebService);

export const webServiceBlocked = event('web-service-blocked.v1', ofWebService);
export const webServiceUnblocked = event('web-service-unblocked.v1', ofWebService);
export const webServiceSuspended = event('web-service-suspended.v1', ofWebService);
export const webServiceResumed = event('web-service-resumed.v1', ofWebService);

/** The database accepts connections. */
export const databaseBecameAvailable = event('database-became-available.v1', ofDatabase);

/** The database does not respond; it is being restarted. */
export const databaseBecameUnavailable = event('database-became-unavailable.v1', ofDatabase);

/** The database could not be created in time. */
export const databaseProvisioningFailed = event('database-provisioning-failed.v1', ofDatabase);

/** The database uses at least 90 percent of the storage of its plan; at the limit it becomes read-only. */
export const databaseNearlyFull = event('database-nearly-full.v1', ofDatabase.extend({ workspace_id: id }));

/** The database and its data were deleted. */
export const databaseDeleted = event('database-deleted.v1', ofDatabase);

/** The user changed their password, or reset it by mail. */
export const passwordChanged = event('password-changed.v1', ofUser);

/** An operator disabled the user. */
export const userDisabled = event('user-disabled.v1', ofUser);

/** The user signed in from an unknown device. */
export const signedInFromNewDevice = event(
  'signed-in-from-new-device.v1',
  ofUser.extend({ device: z.string().nullable().describe('Such as `Firefox on Linux`; null if not recognised.') }),
);

export const secondFactorEnabled = event('second-factor-enabled.v1', ofUser);

/** The user disabled the second factor, or an operator removed it. */
export const secondFactorDisabled = event('second-factor-disabled.v1', ofUser);

/** The user signed in, or verified their identity, with a recovery code. */
export const recoveryCodeUsed = event('recovery-code-used.v1', ofUser.extend({ left: z.int() }));

export const recoveryCodesRenewed = event('recovery-codes-renewed.v1', ofUser);

/** A password reset was requested; the address need not belong to a user. */
export const passwordResetRequested = event('password-reset-requested.v1', z.object({ request_id: id, at: timestamp }));

/** The user created a platform key. */
export const platformKeyCreated = event('platform-key-created.v1', ofMember.extend({ key_id: id }));

export const memberAdded = event('member-added.v1', ofMember.extend({ role: workspaceRole }));
export const memberRemoved = event('member-removed.v1', ofMember);

/** An owner invited an address. */
export const memberInvited = event(
  'member-invited.v1',
  z.object({ workspace_id: id, invitation_id: id, at: timestamp }),
);

/** The workspace was deleted; it had no projects, databases or email services. */
export const workspaceDeleted = event('workspace-deleted.v1', z.object({ workspace_id: id, at: timestamp }));

/** The events of which users are notified by mail. */
export const ACCOUNT_EVENTS = [
  passwordChanged,
  userDisabled,
  signedInFromNewDevice,
  secondFactorEnabled,
  secondFactorDisabled,
  recoveryCodeUsed,
  recoveryCodesRenewed,
  passwordResetRequested,
  platformKeyCreated,
  memberAdded,
  memberRemoved,
  memberInvited,
] as const;

/** The events of which the owners of a workspace are notified by mail. */
export const OWNER_MAIL_EVENTS = [deploymentFailed, webServiceUnanswering, databaseNearlyFull] as const;

/** The events of which the notification targets of a workspace are told. */
export const NOTIFIED_EVENTS = [...OWNER_MAIL_EVENTS, deploymentLive] as const;

export const PLATFORM_MANAGEMENT_EVENTS = [
  deploymentRequested,
  rollbackRequested,
  deploymentBegun,
  deploymentBuilt,
  deploymentLive,
  deploymentFailed,
  deploymentCancelled,
  deploymentSuperseded,
  deploymentRolledBack,
  webServiceStopped,
  webServiceUnanswering,
  webServiceAnswering,
  webServiceBlocked,
  webServiceUnblocked,
  webServiceSuspended,
  webServiceResumed,
  databaseBecameAvailable,
  databaseBecameUnavailable,
  databaseProvisioningFailed,
  databaseNearlyFull,
  databaseDeleted,
  workspaceDeleted,
  ...ACCOUNT_EVENTS,
] as const;
