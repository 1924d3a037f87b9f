import { BuildFailed } from '@postern/runtime';
import { z } from 'zod';
import type { ImageStart } from '../../../infrastructure/builders/start.js';

const configuration = z.object({
  Env: z.array(z.string()).nullish(),
  Entrypoint: z.array(z.string()).nullish(),
  Cmd: z.array(z.string()).nullish(),
  WorkingDir: z.string().nullish(),
  ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
  User: z.string().nullish(),
});

/** The output of `inspect`: Buildah prints an object, Podman a list. */
const ofBuildah = z.object({ OCIv1: z.object({ config: configuration }) }).transform(({ OCIv1 }) => OCIv1.config);
const ofPodman = z.tuple([z.object({ Config: configuration })]).transform(([{ Config }]) => Config);
const inspected = z.union([ofBuildah, ofPodman]);

/** How to start an image, from the tool's output of `inspect`. @throws BuildFailed if it cannot be parsed. */
export const imageStartOf = (text: string): ImageStart => {
  const { success, data } = inspected.safeParse(parsed(text));
  if (!success) throw new BuildFailed('the image cannot be run: its configuration cannot be read');
  const { Env, Entrypoint, Cmd, WorkingDir, ExposedPorts, User } = data;
  const port = lowestTcpPort(Object.keys(ExposedPorts ?? {}));
  return {
    kind: 'image',
    argv: [...(Entrypoint ?? []), ...(Cmd ?? [])],
    environment: environmentOf(Env ?? []),
    workingDirectory: WorkingDir || '/',
    ...(port !== undefined && { port }),
    ...(User && { user: User }),
  };
};

/** @param ports such as `80/tcp`, `53/udp` and `8080`, which is TCP. */
const lowestTcpPort = (ports: readonly string[]): number | undefined => {
  const numbers = ports.flatMap(port => /^(\d{1,5})(?:\/tcp)?$/.exec(port)?.[1] ?? []).map(Number);
  return numbers.filter(port => port >= 1 && port <= 65_535).sort((a, b) => a - b)[0];
};

/** Omits variables whose names are invalid in a shell; programs seldom read them. */
const environmentOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines
      .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
      .filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
  );

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
