import { INVITATION_DAYS, PASSWORD_RESET_MINUTES } from '@postern/contracts';
import { plainName } from '../verified-recipients/plain-name.js';
import { type NoticeEvent, noticeOf } from './notice-texts.js';
import type { AccountMail } from './ports.js';

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

export const invitationMail = (to: string, token: string, workspaceName: string, dashboardUrl: string): AccountMail => {
  const name = plainName(workspaceName);
  return {
    to,
    subject: 'Invitation to a workspace',
    text: [
      `You are invited to ${name ? `the workspace "${name}"` : 'a workspace'}. To accept, choose a password at:`,
      `${dashboardUrl}/invitation#${token}`,
      '',
      `The link works once, for ${INVITATION_DAYS} days. If you did not expect it, ignore this message.`,
      '',
    ].join('\n'),
  };
};
