/** The files that make schemathesis call operations with prepared ids, bodies and sessions. */
import { writeFileSync } from 'node:fs';
import { BUSY, REFUSALS_OF_INVALID_INPUT } from './checks.mjs';

/** Path parameters always have a prepared id; body fields have one in 90 % of the calls, so that unknown ids are tried too. */
const IN_BODY = 0.9;
/** Some calls wait for a build or a database. */
const REQUEST_TIMEOUT_S = 30;
/** The stream of a service that logs nothing more does not end. */
const STREAM_TIMEOUT_S = 1;

/** Writes the configuration for the operations with their ids and sessions. */
export const writeConfiguration = (file, operations) => {
  const dictionaries = [];
  const parameterOf = ({ name, in: place, id }) => {
    if (place === 'path') return `"path.${name}" = ${JSON.stringify(id)}`;
    const dictionary = `value_${dictionaries.length}`;
    dictionaries.push(`[dictionaries.${dictionary}]\nvalues = [${JSON.stringify(id)}]\n`);
    return `"body.${name}" = { dictionary = "${dictionary}", probability = ${IN_BODY} }`;
  };
  const sections = operations
    .filter(({ ids, sessionToken }) => ids.length > 0 || sessionToken !== undefined)
    .map(({ method, path, ids, sessionToken }) =>
      [
        '[[operations]]',
        `include-name = ${JSON.stringify(`${method} ${path}`)}`,
        ...(path.endsWith('/stream') ? [`request-timeout = ${STREAM_TIMEOUT_S}`, 'max-stream-events = 1'] : []),
        ...(sessionToken === undefined ? [] : [`headers = { Authorization = "Bearer ${sessionToken}" }`]),
        '[operations.parameters]',
        ...ids.map(parameterOf),
        '',
      ].join('\n'),
    );
  const general = [
    `request-timeout = ${REQUEST_TIMEOUT_S}`,
    // Examples are sent as prepared; an operation without a body is called with its ids.
    '[phases.examples]',
    'fill-missing = true',
    'extra-data-sources.responses = false',
    '[checks.not_a_server_error]',
    `expected-statuses = ["2xx", "3xx", "4xx", ${BUSY}]`,
    '[checks.negative_data_rejection]',
    `expected-statuses = ${JSON.stringify(REFUSALS_OF_INVALID_INPUT)}`,
    '',
  ];
  writeFileSync(file, [...general, ...dictionaries, ...sections].join('\n'));
};

/**
 * Writes the OpenAPI document of a URL, with the prepared bodies as first examples and without the schemas of event
 * streams: such a schema describes the whole text, but schemathesis validates each event with it.
 */
export const writeDocument = async (file, url, operations) => {
  const document = await (await fetch(url)).json();
  for (const { method, path, body } of operations) {
    const { requestBody, responses } = document.paths[path][method.toLowerCase()];
    const events = responses['200']?.content?.['text/event-stream'];
    if (events) events.schema = {};
    const content = requestBody?.content['application/json'];
    if (content === undefined || body === undefined) continue;
    const { example } = content;
    delete content.example;
    content.examples = { prepared: { value: body } };
    if (example !== undefined) content.examples.documented = { value: example };
  }
  writeFileSync(file, JSON.stringify(document));
};
