// All commands, in the order in which the help lists them.
import type { Command } from "../command";
import { audit } from "./audit";
import { doctor } from "./doctor";
import { eraseCommands } from "./erase";
import { exportAll } from "./export";
import { forget } from "./forget";
import { importFile } from "./import";
import { keyCommands } from "./keys";
import { metrics } from "./metrics";
import { prime } from "./prime";
import { privacyCommands } from "./privacy";
import { recall } from "./recall";
import { remember } from "./remember";
import { sessionCommands } from "./sessions";
import { shardCommands } from "./shards";
import { skillCommands } from "./skills";
import { sparql } from "./sparql";
import { usage } from "./usage";
import { userCommands } from "./users";
import { webhookCommands } from "./webhooks";

export const COMMANDS: readonly Command[] = [
  remember,
  recall,
  forget,
  prime,
  sparql,
  metrics,
  usage,
  ...sessionCommands,
  ...userCommands,
  ...eraseCommands,
  ...skillCommands,
  exportAll,
  importFile,
  ...webhookCommands,
  ...privacyCommands,
  ...keyCommands,
  ...shardCommands,
  audit,
  doctor,
];
