/** The name of an aggregate in every form that the code needs. */
export interface Names {
  readonly service: string;
  /** Folder below src, such as `notes` or `accounts/notes`. */
  readonly folder: string;
  /** `notes` and `note`, in kebab case. */
  readonly plural: string;
  readonly singular: string;
  /** `Notes`, `Note` and `note`. */
  readonly Plural: string;
  readonly Singular: string;
  readonly variable: string;
  /** `note_id` on the wire. */
  readonly field: string;
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const isKebab = (name: string): boolean => KEBAB.test(name);

export const pascal = (kebab: string): string =>
  kebab.replace(/(^|-)([a-z0-9])/g, (_, _dash: string, letter: string) => letter.toUpperCase());

export const camel = (kebab: string): string => pascal(kebab).replace(/^./, letter => letter.toLowerCase());

/** `notes` becomes `note`, `entries` becomes `entry`. */
const singularOf = (plural: string): string => plural.replace(/ies$/, 'y').replace(/(?<=[^sy])s$/, '');

/** @throws if a name is not in kebab case, or is no plural */
export const namesOf = (service: string, folder: string): Names => {
  const plural = folder.split('/').at(-1) ?? '';
  const singular = singularOf(plural);
  for (const part of [service, ...folder.split('/')])
    if (!KEBAB.test(part)) throw new Error(`"${part}" is not in kebab case, such as verified-recipients`);
  if (singular === plural) throw new Error(`"${plural}" is no plural, such as verified-recipients`);
  return {
    service,
    folder,
    plural,
    singular,
    Plural: pascal(plural),
    Singular: pascal(singular),
    variable: camel(singular),
    field: `${singular.replaceAll('-', '_')}_id`,
  };
};

/** `rename` becomes `renamed`, `create` becomes `created`, `stop` becomes `stopped`. */
export const pastOf = (verb: string): string => {
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return verb.replace(/y$/, 'ied');
  return /^[^aeiou]*[aeiou][bdgmnpt]$/.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
};
