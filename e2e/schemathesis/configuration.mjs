/** The configuration of schemathesis that puts real ids into the operations of a document. */
import { writeFileSync } from 'node:fs';
import { BUSY } from './checks.mjs';

/** A path always names the resource; a field of a body mostly, so that unknown ids are tried as well. */
const IN_BODY = 0.9;
/** Some calls wait for a build or a database. */
const REQUEST_TIMEOUT_S = 30;

/** Writes the configuration for operations with their ids. */
export const writeConfiguration = (file, operations) => {
  const dictionaries = new Map();
  const parameterOf = ({ name, in: place, id }) => {
    if (place === 'path') return `"path.${name}" = ${JSON.stringify(id)}`;
    dictionaries.set(name, id);
    return `"body.${name}" = { dictionary = "${name}", probability = ${IN_BODY} }`;
  };
  const sections = operations
    .filter(({ ids }) => ids.length > 0)
    .map(({ method, path, ids }) =>
      [
        '[[operations]]',
        `include-name = ${JSON.stringify(`${method} ${path}`)}`,
        '[operations.parameters]',
        ...ids.map(parameterOf),
        '',
      ].join('\n'),
    );
  const values = [...dictionaries].map(([name, id]) => `[dictionaries.${name}]\nvalues = [${JSON.stringify(id)}]\n`);
  const general = [
    `request-timeout = ${REQUEST_TIMEOUT_S}`,
    '[checks.not_a_server_error]',
    `expected-statuses = ["2xx", "3xx", "4xx", ${BUSY}]`,
    '',
  ];
  writeFileSync(file, [...general, ...values, ...sections].join('\n'));
};
