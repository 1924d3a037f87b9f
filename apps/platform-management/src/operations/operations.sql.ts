/** Failed logins store the submitted address. Rows of existing users belong to their accounts and stay. */
export const ERASE_LOGIN_FAILURES = `
  DELETE FROM login_failures f WHERE f.email = ANY ($1)
    AND NOT EXISTS (SELECT FROM credentials c WHERE c.email = f.email)`;

/** Rows of existing users stay, like their accounts; they are deleted after an hour anyway. */
export const ERASE_RESET_REQUESTS = `
  DELETE FROM password_reset_requests r WHERE r.email = ANY ($1)
    AND NOT EXISTS (SELECT FROM credentials c WHERE c.email = r.email)`;

export const ERASE_INVITATIONS = 'DELETE FROM invitations WHERE email = ANY ($1)';
