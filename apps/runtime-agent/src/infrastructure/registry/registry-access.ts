/** Shared by all registry clients. It is part of a program that runs in images, so it imports nothing. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { auth?: string; username?: string; password?: string }>>;
}

/** The base URL and the path of a repository such as `registry.example.com/postern/web-services`. */
export const addressOf = (repository: string, isInsecure: boolean): { base: string; path: string } => {
  const [host = '', ...path] = repository.split('/');
  const server = host === 'docker.io' ? 'registry-1.docker.io' : host;
  return { base: `${isInsecure ? 'http' : 'https'}://${server}`, path: path.join('/') };
};

/** The credentials for the registry of a repository, from the text of a `.dockerconfigjson`. */
export const credentialsIn = (text: string, repository: string): Credentials | undefined => {
  const { auths = {} } = JSON.parse(text) as DockerConfig;
  const host = repository.split('/')[0] ?? '';
  const hosts = host === 'docker.io' ? [host, 'index.docker.io', 'registry-1.docker.io'] : [host];
  const found = Object.entries(auths).find(([name]) =>
    hosts.includes(name.replace(/^https?:\/\//, '').split('/')[0] ?? ''),
  )?.[1];
  if (!found) return undefined;
  const [username = '', ...password] = Buffer.from(found.auth ?? '', 'base64')
    .toString('utf8')
    .split(':');
  return { username: found.username ?? username, password: found.password ?? password.join(':') };
};

export const basicOf = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The token endpoint of a registry; undefined if the registry uses basic authentication. */
export const tokenUrlOf = (challenge: string, scope: string): URL | undefined => {
  if (!/^bearer /i.test(challenge)) return undefined;
  const parameter = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
  const realm = parameter('realm');
  if (!realm) return undefined;
  const url = new URL(realm);
  const service = parameter('service');
  if (service) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope);
  return url;
};
