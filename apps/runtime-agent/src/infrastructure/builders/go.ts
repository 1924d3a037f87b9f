import { type Builder, type BuildPlan, commandStart } from './build-plan.js';

const BUILD = 'mkdir -p bin && go build -o bin/ ./...';
const GO = [{ program: 'go', install: 'Go, on the path or in /usr/local/go/bin' }] as const;

/** Projects with a go.mod. The built programs are stored in `bin`, where Procfiles expect them. */
export const go: Builder = async project => {
  const manifest = await project.read('go.mod');
  if (manifest === undefined) return undefined;
  const name =
    /^module\s+(\S+)/m
      .exec(manifest)?.[1]
      ?.replace(/\/v\d+$/, '')
      .split('/')
      .at(-1) ?? 'main';
  return {
    rules: [`go.mod found: ${BUILD}`],
    command: BUILD,
    environment: { GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' },
    needs: GO,
    start: async built => {
      const programs = (await built.files('bin', 0)).map(path => path.slice('bin/'.length));
      const [only] = programs;
      const likely = programs.find(program => program === name || /^(web|server|api|app|main)$/.test(program));
      const program = likely ?? (programs.length === 1 ? only : undefined);
      return program === undefined ? undefined : commandStart(`./bin/${program}`);
    },
  } satisfies BuildPlan;
};
