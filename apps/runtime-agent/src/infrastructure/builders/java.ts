import { type Builder, commandStart, type Tool } from './build-plan.js';
import type { Project } from './project.js';
import { requireUnixScript } from './script.js';

const JAVA: Tool = { program: 'java', install: 'a JDK' };
const JAR = /(?<!-(sources|javadoc|plain|tests))\.jar$/;

/** Projects of Maven and Gradle; their wrappers are used if they have them. */
export const java: Builder = async project => {
  const build = await buildOf(project);
  if (!build) return undefined;
  return {
    rules: [build.rule],
    command: build.command,
    environment: { MAVEN_OPTS: '-Xmx512m', GRADLE_OPTS: '-Dorg.gradle.daemon=false -Xmx512m' },
    needs: [JAVA, ...build.needs],
    start: async built => {
      const fast = `${build.folder.replace(/\/libs$/, '')}/quarkus-app/quarkus-run.jar`;
      const jars = (await built.has(fast)) ? [fast] : await jarsIn(built, build.folder);
      // Spring Boot, Quarkus and Micronaut read the port from one of these; other programs read PORT themselves.
      const ports = '-Dserver.port="$PORT" -Dquarkus.http.port="$PORT" -Dmicronaut.server.port="$PORT"';
      return jars[0] === undefined ? undefined : commandStart(`java ${ports} -jar ${jars[0]}`);
    },
  };
};

const jarsIn = async (built: Project, folder: string): Promise<readonly string[]> =>
  (await built.files(folder, 0)).filter(path => JAR.test(path) && !path.includes('original-'));

const buildOf = async (project: Project) => {
  if (await project.has('pom.xml')) {
    const wrapped = await project.has('mvnw');
    await requireUnixScript(project, 'mvnw');
    const command = `${wrapped ? 'sh ./mvnw' : 'mvn'} -B -DskipTests package`;
    const needs: readonly Tool[] = wrapped ? [] : [{ program: 'mvn', install: 'Maven' }];
    return { rule: `pom.xml found: ${command}`, command, needs, folder: 'target' };
  }
  for (const file of ['build.gradle', 'build.gradle.kts']) {
    if (!(await project.has(file))) continue;
    const wrapped = await project.has('gradlew');
    await requireUnixScript(project, 'gradlew');
    const program = wrapped ? 'sh ./gradlew' : 'gradle';
    const stages = ((await project.read(file)) ?? '').includes('stage');
    const command = `${program} ${stages ? 'stage' : 'build -x test'}`;
    const needs: readonly Tool[] = wrapped ? [] : [{ program: 'gradle', install: 'Gradle' }];
    return { rule: `${file} found: ${command}`, command, needs, folder: 'build/libs' };
  }
  return undefined;
};
