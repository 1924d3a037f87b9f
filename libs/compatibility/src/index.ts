export { canDeploy, type Deployability } from './can-deploy.js';
export { type Finding, findingsBetween, findingsOf, groupedTexts } from './findings.js';
export { incompatibilities } from './incompatibilities.js';
export { type JsonSchema, jsonSchemaOf } from './json-schema.js';
export {
  type Exchange,
  type HttpOperation,
  nameOf,
  newestOf,
  type ReleaseContract,
  readReleaseContract,
} from './release-contract.js';
