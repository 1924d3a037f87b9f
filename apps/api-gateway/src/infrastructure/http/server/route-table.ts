/** The methods of each path: for 405 with `Allow`, for OPTIONS, and to test that all routes are documented. */
export class RouteTable {
  private readonly routes = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();

  add(method: string | readonly string[], pattern: string): void {
    const route = this.routes.get(pattern) ?? { matches: matcherOf(pattern), methods: new Set<string>() };
    for (const one of typeof method === 'string' ? [method] : method) route.methods.add(one);
    this.routes.set(pattern, route);
  }

  /** Empty if no route matches. A wildcard counts only if no other route matches. */
  methodsOf(url: string): readonly string[] {
    const path = url.split(/[?#]/, 1)[0] ?? url;
    const matching = [...this.routes].filter(([, { matches }]) => matches.test(path));
    const exact = matching.filter(([pattern]) => !pattern.includes('*'));
    const chosen = exact.length > 0 ? exact : path.startsWith('/dashboard/api') ? [] : matching;
    const methods = new Set(chosen.flatMap(([, route]) => [...route.methods]));
    return methods.size > 0 ? [...methods.add('OPTIONS')].sort() : [];
  }

  all(): readonly { readonly method: string; readonly pattern: string }[] {
    return [...this.routes].flatMap(([pattern, { methods }]) => [...methods].map(method => ({ method, pattern })));
  }
}

/** Patterns of find-my-way: `:name` matches up to the next `/`, `*` matches the rest. */
const matcherOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split(/(:[A-Za-z_]+|\*)/)
      .map(part => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
      .join('')}$`,
  );
