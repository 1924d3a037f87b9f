import { isSection, listOf, type Section } from './compose-file.js';
import type { Report } from './report.js';

/** The port of a service in `ports`, or else in `expose`. */
export const portOf = (name: string, service: Section, report: Report): number | undefined => {
  const [ports, exposed] = ['ports', 'expose'].map(key =>
    listOf(service[key]).flatMap(entry => targetOf(`services.${name}.${key}`, entry, report) ?? []),
  ) as [number[], number[]];
  const [first, ...others] = [...new Set(ports.length > 0 ? ports : exposed)];
  if (others.length > 0)
    report.note(`A web service has one port: ${name} is reached at ${first}, and not at ${others.join(', ')}.`);
  return first;
};

const targetOf = (path: string, entry: unknown, report: Report): number | undefined => {
  const { target, protocol = 'tcp' } = isSection(entry) ? entry : shortForm(String(entry));
  const port = Number(target);
  if (protocol !== 'tcp')
    report.refuse(path, `Only TCP reaches an instance, not ${String(protocol)}. Remove the port.`);
  else if (!Number.isInteger(port) || port < 1 || port > 65_535)
    report.refuse(
      path,
      `${JSON.stringify(String(target))} is no single port. Name the port that receives the requests.`,
    );
  else return port;
  return undefined;
};

/** Such as `127.0.0.1:8080:80/tcp`, whose last number is the port of the container. */
const shortForm = (entry: string): Section => {
  const [ports = '', protocol] = entry.split('/');
  return { target: ports.slice(ports.lastIndexOf(':') + 1), ...(protocol !== undefined && { protocol }) };
};
