/** A line of RFC 4180. */
export const csvLine = (values: readonly (string | number | null)[]): string => `${values.map(csvField).join(',')}\r\n`;

const csvField = (value: string | number | null): string => {
  if (value === null) return '';
  // A spreadsheet would evaluate text that begins like a formula.
  const text = String(value).replace(/^(?=[=+@\t\r-])/, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
