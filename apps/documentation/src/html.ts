const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it may stand in HTML and in quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character] ?? '');
