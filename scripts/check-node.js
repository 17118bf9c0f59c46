// Runs first in an install. Plain JavaScript, so that an old Node reports its version instead of a syntax error: the
// scripts are TypeScript, which Node runs without a build since 22.18. On Linux, npm installs such a Node with the packages.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `kioku: Node ${process.versions.node} is too old: on this platform Kioku needs 22.18 or newer.`,
  );
  process.exitCode = 1;
}
