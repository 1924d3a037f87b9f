import { messagePage } from '../infrastructure/http/server/message-page.js';

/** Asks for confirmation, because mail scanners open links. The form posts to the URL of the page. */
export const CONFIRM_UNSUBSCRIBE_PAGE = messagePage(
  'Unsubscribe?',
  'You will receive no more messages of this kind from this sender.' +
    '<form method="post"><button type="submit" style="font:inherit;padding:.4em 1em">Unsubscribe</button></form>',
);

/** Shown after the form is submitted, also repeatedly. */
export const UNSUBSCRIBED_PAGE = messagePage(
  'You are unsubscribed',
  'You will receive no more messages of this kind from this sender. You can close this page.',
);
