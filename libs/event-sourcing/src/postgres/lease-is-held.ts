/** Of a row of `event_store.leases`. A lease that ends later than any lease can was set before the clock of PostgreSQL went back. */
export const LEASE_IS_HELD = `expires_at > clock_timestamp() AND expires_at <= clock_timestamp() + make_interval(secs => 60)`;
