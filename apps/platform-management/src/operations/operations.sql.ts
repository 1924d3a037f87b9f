/** Failed logins name whatever was typed; those of users belong to their accounts and stay. */
export const ERASE_LOGIN_FAILURES = `
  DELETE FROM login_failures f WHERE f.email = ANY ($1)
    AND NOT EXISTS (SELECT FROM credentials c WHERE c.email = f.email)`;
