export const builtImageOf = service => `localhost/postern/${service}`;

/** The images of each service under the name of a version. @returns their names by service */
export const imagesOfSet = async (engine, services, version) => {
  const names = Object.fromEntries(services.map(service => [service, `${builtImageOf(service)}:${version}`]));
  for (const [service, name] of Object.entries(names)) await engine.docker('tag', builtImageOf(service), name);
  return names;
};
