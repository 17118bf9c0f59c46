// Types for the tests; the scripts themselves are plain JavaScript.

export interface DeployOptions {
  name: string | undefined;
  vectorize: boolean | undefined;
  workersAi: boolean | undefined;
  vars: Record<string, string | null>;
  adminKeyFile: string | undefined;
  dryRun: boolean;
  help: boolean;
}

export function readDeployOptions(argv: string[]): DeployOptions;
