/**
 * JSON Schemas of Kubernetes' objects for kubeconform, one file per kind, from the OpenAPI document of Kubernetes and three
 * custom resource definitions. They come as Go modules, at the versions and with the hashes below.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CACHE, go, KUBERNETES, tools } from './tools.mjs';

const SOURCES = {
  [`k8s.io/kubernetes@v${KUBERNETES}`]: {
    sum: 'h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o=',
    openapi: 'api/openapi-spec/swagger.json',
  },
  'sigs.k8s.io/gateway-api@v1.4.0': {
    sum: 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=',
    resources: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': {
    sum: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    resources: [
      'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
      'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    ],
  },
};

/** Validates YAML or JSON against the schemas. @returns kubeconform's `status` and `stdout`. */
export const kubeconform = text => {
  const location = join(schemas(), '{{.ResourceKind}}{{.KindSuffix}}.json');
  const args = ['-strict', '-summary', '-kubernetes-version', KUBERNETES, '-schema-location', location];
  return spawnSync(tools().kubeconform, args, { input: text, encoding: 'utf8' });
};

/** @returns {string} folder with the schemas, strict: a field that Kubernetes does not know is an error. */
export const schemas = () => {
  const key = createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .update(KUBERNETES)
    .digest('hex');
  const folder = join(CACHE, `schemas-${key.slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  console.log('making the schemas of Kubernetes');
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const { read, openapi, resources } of sources()) {
    const found = [
      ...(openapi ? fromOpenApi(JSON.parse(read(openapi)).definitions) : []),
      ...resources.flatMap(path => fromCustomResource(parse(read(path)))),
    ];
    for (const [name, schema] of found) writeFileSync(join(unfinished, `${name}.json`), JSON.stringify(schema));
  }
  renameSync(unfinished, folder);
  return folder;
};

/** The definitions of the custom resources that the charts use, as a cluster takes them. */
export const customResources = () =>
  sources().flatMap(({ read, resources }) => resources.map(path => parse(read(path))));

const sources = () =>
  Object.entries(SOURCES).map(([module, { sum, openapi, resources = [] }]) => {
    mkdirSync(CACHE, { recursive: true });
    const downloaded = JSON.parse(go(['mod', 'download', '-json', module], { cwd: CACHE }));
    if (downloaded.Sum !== sum) throw new Error(`${module} has the hash ${downloaded.Sum} instead of ${sum}`);
    return { openapi, resources, read: path => readFileSync(join(downloaded.Dir, path), 'utf8') };
  });

/** The file name that kubeconform expects: `deployment-apps-v1`, `service-v1`. */
const fileName = ({ group, version, kind }) =>
  [kind.toLowerCase(), ...(group ? [group.split('.')[0]] : []), version].join('-');

const fromOpenApi = definitions =>
  Object.values(definitions).flatMap(definition =>
    (definition['x-kubernetes-group-version-kind'] ?? [])
      // Skips options and lists, which have many kinds and do not occur in manifests.
      .filter((_, __, all) => all.length === 1)
      .map(identity => {
        const used = {};
        const schema = strict(definition, collector(used, definitions));
        return [fileName(identity), { ...named(schema, identity), definitions: used }];
      }),
  );

/** Adds a definition and its references. Uses an empty placeholder meanwhile, because some definitions are recursive. */
const collector = (used, definitions) => name => {
  if (used[name]) return;
  used[name] = {};
  used[name] = strict(definitions[name], collector(used, definitions));
};

const fromCustomResource = ({ spec }) =>
  spec.versions.map(({ name: version, schema }) => {
    const identity = { group: spec.group, version, kind: spec.names.kind };
    const strictSchema = strict(schema.openAPIV3Schema, () => {});
    // The definition leaves metadata to Kubernetes.
    strictSchema.properties.metadata = { type: 'object' };
    return [fileName(identity), named(strictSchema, identity)];
  });

const named = (schema, { group, version, kind }) => ({
  ...schema,
  required: [...new Set([...(schema.required ?? []), 'apiVersion', 'kind', 'metadata'])],
  properties: {
    ...schema.properties,
    apiVersion: { const: group ? `${group}/${version}` : version },
    kind: { const: kind },
  },
});

const PREFIX = '#/definitions/';
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const KEPT = [
  'type',
  'required',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
];

/** One level of a Kubernetes schema as JSON Schema. Calls `refer` for every referenced definition. */
const strict = (schema, refer) => {
  if (schema.$ref) {
    const name = schema.$ref.slice(PREFIX.length);
    if (name === QUANTITY) return { type: ['string', 'number'] };
    refer(name);
    return { $ref: schema.$ref };
  }
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return { type: ['string', 'integer'] };
  const result = Object.fromEntries(KEPT.filter(key => key in schema).map(key => [key, schema[key]]));
  if (schema.items) result.items = strict(schema.items, refer);
  if (schema.properties) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, strict(property, refer)]),
    );
    result.additionalProperties = Boolean(schema['x-kubernetes-preserve-unknown-fields']);
  }
  if (typeof schema.additionalProperties === 'object')
    result.additionalProperties = strict(schema.additionalProperties, refer);
  return result;
};
