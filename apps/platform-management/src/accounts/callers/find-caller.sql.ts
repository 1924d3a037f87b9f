/** $1 is the kind and $2 the address or hash; every branch reads at most one row of a unique index. */
export const FIND_CALLER = `
  SELECT found.email FROM (
    SELECT email FROM credentials WHERE $1::text = 'email' AND email = $2::text
    UNION ALL SELECT email FROM invitations WHERE $1 = 'invitation' AND token_hash = $2
    UNION ALL SELECT NULL FROM password_reset_requests WHERE $1 = 'password_reset' AND token_hash = $2
    UNION ALL SELECT NULL FROM sessions WHERE $1 = 'session' AND token_hash = $2
    UNION ALL SELECT NULL FROM platform_keys WHERE $1 = 'platform_key' AND key_hash = $2
    UNION ALL SELECT NULL FROM management_keys WHERE $1 = 'management_key' AND key_hash = $2
    UNION ALL SELECT NULL FROM deploy_hooks WHERE $1 = 'deploy_hook' AND token_hash = $2
  ) AS found`;
