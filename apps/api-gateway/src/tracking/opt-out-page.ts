import { messagePage } from '../infrastructure/http/server/message-page.js';

/** Asks for confirmation, because mail scanners open links. The form posts to the URL of the page. */
export const CONFIRM_PAGE = messagePage(
  'Stop verification codes and invitations?',
  'Nobody here will be able to send a verification code or an invitation to your address again.' +
    '<form method="post"><button type="submit" style="font:inherit;padding:.4em 1em">Never send me codes or invitations again</button></form>',
);

/** Shown after the form is submitted, also repeatedly. */
export const DONE_PAGE = messagePage(
  'You will receive no more verification codes and invitations',
  'Nobody can send verification codes or invitations from here to your address again. You can close this page.',
);
