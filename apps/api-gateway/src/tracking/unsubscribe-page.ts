import { messagePage } from '../infrastructure/http/server/message-page.js';
import { confirmationPage } from './confirmation-page.js';

export const CONFIRM_UNSUBSCRIBE_PAGE = confirmationPage(
  'Unsubscribe?',
  'You will receive no more messages of this kind from this sender.',
  'Unsubscribe',
);

/** Shown after the form is submitted, also repeatedly. */
export const UNSUBSCRIBED_PAGE = messagePage(
  'You are unsubscribed',
  'You will receive no more messages of this kind from this sender. You can close this page.',
);
