/** One page of the deliveries of a message `$2` to webhooks of a service `$1`, newest first, with their number. */
export const FIND_EMAIL_DELIVERIES = `
  SELECT delivery.id, count(*) OVER () AS total FROM deliveries AS delivery
  JOIN webhooks ON webhooks.id = delivery.webhook_id AND webhooks.service_id = $1
  WHERE delivery.email_id = $2::uuid
  ORDER BY delivery.created_at DESC, delivery.id DESC LIMIT $3 OFFSET $4`;
