// `npm run package`, and by itself after every install: the client and the adapters, as others import them.

try {
  const { buildPackage } = await import("./lib/package.mjs");
  await buildPackage();
} catch (error) {
  // An install without development packages has nothing to build with, and nobody who would import it.
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
}
