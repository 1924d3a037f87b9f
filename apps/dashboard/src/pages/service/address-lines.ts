const MAX_PORTION = 1_000;

/** The addresses of a text, one per line; of a line of an exported file, the first column. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map(line => exportedAddress(line.trim()) ?? line.trim())
    .filter(line => line !== '' && line !== 'address');

/** Lines of the Postern export: `address,reason,email id,time`, the address possibly quoted or with an apostrophe. */
const exportedAddress = (line: string): string | undefined => {
  if (line === 'address,reason,email_id,at') return 'address';
  const found =
    /^(?:"((?:[^"]|"")*)"|([^",]*)),(?:hard_bounce|complaint|unsubscribed|added),[0-9a-f-]*,[0-9TZ:.-]*$/.exec(line);
  if (!found) return undefined;
  return (found[1]?.replaceAll('""', '"') ?? found[2] ?? '').replace(/^'(?=[=+@\t\r-])/, '');
};

/** Splits lines into one batch per request. */
export const portionsOf = (lines: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(lines.length / MAX_PORTION) }, (_, n) =>
    lines.slice(n * MAX_PORTION, (n + 1) * MAX_PORTION),
  );
