const MAX_PORTION = 1_000;

/** The addresses of a text: one a line; a line of an exported file counts by its first column. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map(line => exportedAddress(line.trim()) ?? line.trim())
    .filter(line => line !== '' && line !== 'address');

/** Lines of our own export: `address,reason,email id,time`, the address possibly quoted or with an apostrophe. */
const exportedAddress = (line: string): string | undefined => {
  if (line === 'address,reason,email_id,at') return 'address';
  const found = /^(?:"((?:[^"]|"")*)"|([^",]*)),(?:hard_bounce|complaint|added),[0-9a-f-]*,[0-9TZ:.-]*$/.exec(line);
  if (!found) return undefined;
  return (found[1]?.replaceAll('""', '"') ?? found[2] ?? '').replace(/^'(?=[=+@\t\r-])/, '');
};

/** What one request takes each. */
export const portionsOf = (lines: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(lines.length / MAX_PORTION) }, (_, n) =>
    lines.slice(n * MAX_PORTION, (n + 1) * MAX_PORTION),
  );
