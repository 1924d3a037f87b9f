import type { AccountEvent } from './ports.js';

/** Events of which a user is notified; the notice links to nothing but the dashboard. */
export type NoticeEvent = Exclude<
  AccountEvent,
  { type: 'platform-management.password-reset-requested.v1' | 'platform-management.member-invited.v1' }
>;

interface Notice {
  readonly subject: string;
  readonly what: string;
  /** Advice in case another person made the change; absent if nothing can be done. */
  readonly otherwise?: string;
}

const CHANGE_PASSWORD = 'change your password, sign out of sessions that you do not recognize under Account';

/** The notice of an event for the affected user. `workspace` is a plain name. */
export const noticeOf = ({ type, data }: NoticeEvent, workspace: string): Notice => {
  const of = workspace === '' ? 'of a workspace' : `of the workspace "${workspace}"`;
  switch (type) {
    case 'platform-management.password-changed.v1':
      return {
        subject: 'Your password was changed',
        what: 'The password of your account was changed. All its sessions have ended.',
        otherwise: 'request a new password on the sign-in page',
      };
    case 'platform-management.signed-in-from-new-device.v1':
      return {
        subject: 'New sign-in to your account',
        what: `Somebody signed in to your account from a new device${data.device ? `: ${data.device}` : ''}.`,
        otherwise: CHANGE_PASSWORD,
      };
    case 'platform-management.second-factor-enabled.v1':
      return {
        subject: 'Two-factor authentication turned on',
        what: 'Signing in to your account now requires a code from your authenticator app. Your other sessions have ended.',
        otherwise: 'ask your administrator to turn it off',
      };
    case 'platform-management.second-factor-disabled.v1':
      return {
        subject: 'Two-factor authentication turned off',
        what: 'Signing in to your account no longer requires a code from an authenticator app.',
        otherwise: CHANGE_PASSWORD,
      };
    case 'platform-management.recovery-code-used.v1':
      return {
        subject: 'A recovery code was used',
        what: `Somebody used a recovery code of your account instead of a code from your authenticator app. Recovery codes left: ${data.left}.`,
        otherwise: CHANGE_PASSWORD,
      };
    case 'platform-management.recovery-codes-renewed.v1':
      return {
        subject: 'Your recovery codes were replaced',
        what: 'Your account has new recovery codes. The previous ones no longer work.',
        otherwise: CHANGE_PASSWORD,
      };
    case 'platform-management.platform-key-created.v1':
      return {
        subject: 'A platform key was created',
        what: `You created a platform key ${of}.`,
        otherwise: `revoke it under Platform keys, ${CHANGE_PASSWORD}`,
      };
    case 'platform-management.user-disabled.v1':
      return {
        subject: 'Your account was disabled',
        what: 'An administrator disabled your account. Its sessions have ended, and its platform keys no longer work.',
      };
    case 'platform-management.member-added.v1':
      return {
        subject: 'You joined a workspace',
        what: `You accepted an invitation and are now a ${data.role} ${of}.`,
        otherwise: CHANGE_PASSWORD,
      };
    case 'platform-management.member-removed.v1':
      return { subject: 'You no longer belong to a workspace', what: `You are no longer a member ${of}.` };
  }
};
