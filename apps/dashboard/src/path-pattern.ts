/** The named parts of `path` if it has the form of `pattern` (`/services/:service_id`), else undefined. */
export const matchPath = (pattern: string, path: string): Record<string, string> | undefined => {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const found = given[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== found) return undefined;
    } else if (/^[A-Za-z0-9-]+$/.test(found)) parts[segment.slice(1)] = found;
    else return undefined;
  }
  return parts;
};
