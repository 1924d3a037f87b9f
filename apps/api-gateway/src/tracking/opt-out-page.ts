import { messagePage } from '../infrastructure/http/server/message-page.js';
import { confirmationPage } from './confirmation-page.js';

export const CONFIRM_PAGE = confirmationPage(
  'Stop verification codes and invitations?',
  'Nobody here will be able to send a verification code or an invitation to your address again.',
  'Never send me codes or invitations again',
);

/** Shown after the form is submitted, also repeatedly. */
export const DONE_PAGE = messagePage(
  'You will receive no more verification codes and invitations',
  'Nobody can send verification codes or invitations from here to your address again. You can close this page.',
);
