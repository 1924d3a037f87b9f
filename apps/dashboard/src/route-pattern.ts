/** Returns the parameters of `path` if it matches `pattern` (`/services/:service_id`), otherwise undefined. */
export const matchPath = (pattern: string, path: string): Record<string, string> | undefined => {
  const patternSegments = pattern.split('/');
  const pathSegments = path.split('/');
  if (patternSegments.length !== pathSegments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of patternSegments.entries()) {
    const value = pathSegments[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
    } else if (/^[A-Za-z0-9-]+$/.test(value)) params[segment.slice(1)] = value;
    else return undefined;
  }
  return params;
};
