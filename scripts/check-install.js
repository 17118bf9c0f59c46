// Runs first in an install. npm installs a git dependency by cloning it, with the variable below: it would put this
// repository's packages, with workerd and a Node, into the project of somebody who only wants the client.
if (process.env._PACOTE_NO_PREPARE_ !== undefined) {
  console.error(
    "kioku: This repository is not a package. Install the client with npm install kioku, the service with npm install kioku-server.",
  );
  process.exitCode = 1;
}
