/** Quotes the text as one shell word. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
