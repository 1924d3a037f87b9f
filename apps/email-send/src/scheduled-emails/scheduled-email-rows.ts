/** The row that a sealed message is bound to. */
export const scheduledEmailRow = (id: string): string => `scheduled_emails/${id}`;
/** The row that a sealed summary is bound to. */
export const scheduledSummaryRow = (id: string): string => `scheduled_emails.summary/${id}`;
