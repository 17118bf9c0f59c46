// Types for the tests; the scripts themselves are plain JavaScript.
import type { DeployOptions } from "./deploy-options.d.mts";

export interface WranglerResult {
  status: number;
  stdout: string;
  stderr: string;
}

export interface DeployWith {
  base: Record<string, unknown>;
  version: string;
  root: string;
  folder: string;
  accountId?: string;
  run: (args: string[], env: Record<string, string>) => Promise<WranglerResult>;
  say: (line: string) => void;
  get: typeof fetch;
  wait: (ms: number) => Promise<void>;
}

export function deploy(options: DeployOptions, dependencies: DeployWith): Promise<string | null>;
