/** Adds the key of mailbox hashes, unless there is one. */
export const ADD_HASH_KEY = 'INSERT INTO mailbox_hash_keys (id, sealed_key) VALUES ($1, $2) ON CONFLICT DO NOTHING';

/** Adds a mailbox that refuses verification codes. */
export const ADD_OPT_OUT = `
  INSERT INTO code_opt_outs (mailbox_hash, opted_out_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
