import { INVITATION_DAYS, PASSWORD_RESET_MINUTES } from '@postern/contracts';
import { plainAddress } from '../system-mail/plain-address.js';
import { plainName } from '../system-mail/plain-name.js';
import { type NoticeEvent, noticeOf } from './notice-texts.js';
import type { AccountMail, InvitationFacts } from './ports.js';

/** A notice of a change; `occurredAt` is the time of the event. */
export const noticeMail = (
  event: NoticeEvent,
  to: string,
  workspaceName: string | null,
  dashboardUrl: string,
): AccountMail => {
  const { subject, what, otherwise } = noticeOf(event, plainName(workspaceName ?? ''));
  const lines = [
    what,
    '',
    `Account: ${to}`,
    `Time: ${event.occurred_at.slice(0, 16).replace('T', ' ')} UTC`,
    ...(otherwise === undefined ? [] : ['', `If this was not you, ${otherwise}, and tell your administrator.`]),
    '',
    `The dashboard is at ${dashboardUrl}`,
    '',
  ];
  return { to, subject, text: lines.join('\n') };
};

/** The token is in the fragment, which browsers send to no server. */
export const passwordResetMail = (to: string, token: string, dashboardUrl: string): AccountMail => ({
  to,
  subject: 'Set a new password',
  text: [
    'Somebody asked for a new password for your account. To set one, open:',
    `${dashboardUrl}/password-reset#${token}`,
    '',
    `The link works once, for ${PASSWORD_RESET_MINUTES} minutes. If you did not ask for it, ignore this message: your password stays.`,
    '',
  ].join('\n'),
});

/** A user accepts on the dashboard; the token lets anyone else create the account of the address. */
export const invitationMail = (
  { email, token, workspaceName, hasAccount, invitedBy, role }: InvitationFacts,
  dashboardUrl: string,
  unsubscribeUrl: string,
): AccountMail => {
  const name = plainName(workspaceName);
  const inviter = plainAddress(invitedBy);
  const who = inviter === undefined ? 'You are invited' : `${inviter} invites you`;
  const as = `${role === 'owner' ? 'an' : 'a'} ${role}`;
  const where = `${name ? `the workspace "${name}"` : 'a workspace'} at ${new URL(dashboardUrl).host}`;
  const invited = `${who} to ${where}, as ${as}.`;
  const how = hasAccount
    ? [`${invited} To accept or decline, sign in at:`, `${dashboardUrl}/invitations`]
    : [`${invited} To accept, choose a password at:`, `${dashboardUrl}/invitation#${token}`];
  return {
    to: email,
    subject: 'Invitation to a workspace',
    text: [
      ...how,
      '',
      `The invitation is valid once, for ${INVITATION_DAYS} days. If you did not expect it, ignore this message.`,
      '',
      'To stop receiving invitations and verification codes at this address, open:',
      unsubscribeUrl,
      '',
    ].join('\n'),
    unsubscribeUrl,
  };
};
