/** The id before every UUIDv7 created at that moment or later (RFC 9562 §5.7: the first 48 bits are the time). */
export function firstIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
