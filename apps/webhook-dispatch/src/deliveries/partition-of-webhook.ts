/** A power of two. More dispatchers than partitions would have nothing to do. */
export const PARTITIONS = 64;

/** The lease of a dispatcher has this name, followed by a random id. */
export const DISPATCHER = 'dispatcher ';

/** The partition of the webhook `w`: all webhooks of a workspace have the same, from a random byte of its id. */
export const PARTITION_OF_WEBHOOK = `(get_byte(uuid_send(coalesce(w.workspace_id, w.service_id)), 15) & ${PARTITIONS - 1})`;
