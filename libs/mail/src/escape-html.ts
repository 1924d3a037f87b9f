const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  '=': '&#61;',
};

const entityOf = (character: string): string => ENTITIES[character]!;

/** Safe in text and in quoted attributes of HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, entityOf);

/** Also safe in attributes without quotes, which HTML from outside may have. */
export const escapeHtmlAnywhere = (text: string): string => text.replace(/[&<>"'`=]/g, entityOf);
